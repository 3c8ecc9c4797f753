// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/fft/fourier_stages.hpp"

namespace partita::lowering {

namespace {

/// Powers u · p of the root of unity of a stage, for u from `first` (all `frequencies` p, by rows of u), as parts.
std::pair<HostArray, HostArray> stage_roots(const Stage& s, int sign, DType part,
                                            std::int64_t first, std::int64_t frequencies) {
  const std::int64_t n = s.done * s.radix;
  const ir::ComplexLine roots = ir::roots_of_unity(n, sign);
  HostArray re(Type{.dtype = DType::f64, .dims = {s.radix - first, frequencies}}), im(re.type);
  for (std::int64_t u = first; u < s.radix; ++u)
    for (std::int64_t p = 0; p < frequencies; ++p) {
      const std::complex<double> w = roots[std::size_t(u * p % n)];
      re.data<DType::f64>()[(u - first) * frequencies + p] = w.real();
      im.data<DType::f64>()[(u - first) * frequencies + p] = w.imag();
    }
  return {convert(re, part), convert(im, part)};
}

}  // namespace

std::int64_t usual_radix(std::int64_t n) {
  return n <= largest_radix * largest_radix ? largest_radix : small_radix;
}

std::vector<std::int64_t> radices(std::int64_t n, std::int64_t largest) {
  // Sums of many terms come first, where their table is small.
  std::vector<std::int64_t> stages, sums;
  std::int64_t stage = 1;
  for (std::int64_t p = 2; n > 1; ++p) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) {
      if (p > largest_radix) {
        sums.push_back(p);
        continue;
      }
      if (stage * p > largest && stage > 1) {
        stages.push_back(stage);
        stage = 1;
      }
      stage *= p;
    }
  }
  if (stage > 1 || sums.empty()) stages.push_back(stage);
  sums.insert(sums.end(), stages.begin(), stages.end());
  return sums;
}

std::vector<std::int64_t> even_radices(std::int64_t n, std::int64_t largest) {
  const std::vector<std::int64_t> fewest = radices(n, largest);
  for (std::int64_t limit = 2; limit < largest; ++limit)
    if (std::vector<std::int64_t> even = radices(n, limit); even.size() == fewest.size())
      return even;
  return fewest;
}

ComplexParts Planes::load(KernelBody& body, DType part, scalar::ExprId at) const {
  const auto of = [&](const Location& plane) {
    return body.pool().load(body.buffer(plane, part, false), part, at);
  };
  const scalar::ExprId first = of(re);
  return {first, of(im)};
}

Planes roots_of_pairs(Context& context, const FourierLines& lines) {
  const std::int64_t n = lines.n;
  const ir::ComplexLine roots = ir::roots_of_unity(2 * n, lines.sign());
  HostArray re(Type{.dtype = DType::f64, .dims = {n + 1}}), im(re.type);
  for (std::int64_t k = 0; k <= n; ++k) {
    re.data<DType::f64>()[k] = 2 * k == n ? 0 : roots[std::size_t(k)].real();
    im.data<DType::f64>()[k] = k == n ? 0 : roots[std::size_t(k)].imag();
  }
  return {context.new_constant(convert(re, lines.part()), "roots of pairs"),
          context.new_constant(convert(im, lines.part()), "roots of pairs")};
}

std::optional<Planes> roots_of(Context& context, const Stage& stage, bool is_summed,
                               const FourierLines& lines) {
  const DType part = lines.part();
  const auto table = [&](HostArray numbers) {
    return context.new_constant(std::move(numbers), "roots of unity");
  };
  if (is_summed && !stage.has_whole_table()) {
    const HostArray all =
        table_of(ir::roots_of_unity(stage.done * stage.radix, lines.sign()), DType::c128);
    HostArray re(Type{.dtype = DType::f64, .dims = all.type.dims}), im(re.type);
    for (std::int64_t i = 0; i < all.type.count(); ++i) {
      re.data<DType::f64>()[i] = all.data<DType::c128>()[i].real();
      im.data<DType::f64>()[i] = all.data<DType::c128>()[i].imag();
    }
    return Planes{table(convert(re, part)), table(convert(im, part))};
  }
  if (stage.done == 1 && !is_summed) return std::nullopt;
  auto [re, im] = is_summed ? stage_roots(stage, lines.sign(), part, 0, stage.done * stage.radix)
                            : stage_roots(stage, lines.sign(), part, 1, stage.done);
  return Planes{table(std::move(re)), table(std::move(im))};
}

}  // namespace partita::lowering
