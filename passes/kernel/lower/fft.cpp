// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms of any length: one launch for each group of prime factors, without reordering.
// With P the product of the factors done, r the next and n = P·r·R, a line holds at q·P + p what is
// known of frequency p (mod P) of the elements q (mod r·R); a stage gives
//   out[q, p'] = Σ_{u<r} w^(u·p'·R) · in[q + u·R, p' mod P],   w = exp(∓2πi/n), p' < r·P,
// from P = 1, the elements as they are, to P = n, the result.  The powers of w come from a table
// that was made in f64.  Where n has a large prime factor the line is convolved with a chirp instead
// (fourier.hpp), by transforms of a smooth length.
#include "partita/ir/fourier.hpp"
#include "passes/kernel/kernel_body.hpp"
#include "passes/kernel/statements.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using kernel::ExprId;
using kernel::ExprPool;

/// Factors of one stage multiply to at most this, but for larger primes.
constexpr std::int64_t largest_radix = 16;

std::vector<std::int64_t> radices(std::int64_t n) {
  std::vector<std::int64_t> stages;
  std::int64_t stage = 1;
  for (std::int64_t p = 2; n > 1; ++p) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) {
      if (stage * p > largest_radix && stage > 1) {
        stages.push_back(stage);
        stage = 1;
      }
      stage *= p;
    }
  }
  stages.push_back(stage);
  return stages;
}

HostArray table_of(const ir::ComplexLine& numbers, DType d) {
  HostArray table(Type{.dtype = DType::c128, .dims = {std::int64_t(numbers.size())}});
  std::ranges::copy(numbers, table.data<DType::c128>());
  return convert(table, d);
}

/// One launch: the product of the factors done before it, and of its own.
struct Stage {
  std::int64_t done, radix;
};

}  // namespace

/// A transform of all lines of an array along one dimension.
struct FourierLines {
  std::int64_t n;
  std::size_t dimension;
  bool inverse, mirrors;  ///< mirrors: elements beyond those there are conjugates of n - k
  Type from, to;          ///< extents along the dimension may be less than n
  double scale;

  [[nodiscard]] DType part() const { return ir::part_dtype(from.dtype); }
  [[nodiscard]] DType complex() const { return part() == DType::f32 ? DType::c64 : DType::c128; }
  [[nodiscard]] int sign() const { return inverse ? 1 : -1; }
  /// Linear index of the element at `position` of the line that `index` is on.
  static ExprId at(ExprPool& pool, std::span<const ExprId> index, std::size_t d, ExprId position,
                   const Type& type) {
    std::vector<ExprId> full(index.begin(), index.end());
    full[d] = position;
    return kernel::linear_index(pool, full, type.dims);
  }
  /// Parts of the element `position` of a line.
  [[nodiscard]] std::pair<ExprId, ExprId> element(ExprPool& pool, std::int32_t source,
                                                  std::span<const ExprId> index,
                                                  ExprId position) const {
    const ElementMath in{pool, from.dtype};
    const auto load = [&](ExprId k) {
      return pool.load(source, from.dtype, at(pool, index, dimension, k, from));
    };
    ExprId x = load(position);
    if (mirrors)
      x = pool.choose(pool.less(position, pool.index(from.dims[dimension])), x,
                      in.conj(load(pool.sub(pool.index(n), position))));
    return {in.real(x), in.imag(x)};
  }
};

Location PlanBuilder::new_table(HostArray numbers, const std::string& name) {
  const Type type = numbers.type;
  draft_.constants.push_back(std::move(numbers));
  return {new_buffer(BufferKind::constant, type.dtype, HostExpr(type.count()), name,
                     int(draft_.constants.size()) - 1),
          0};
}

Location PlanBuilder::lower_fourier(Location at, const FourierLines& lines, const Node& node) {
  if (ir::largest_prime_factor(lines.n) > ir::largest_summed_factor)
    return lower_chirp(at, lines, node);
  const DType part = lines.part(), complex = lines.complex();
  const Location table =
      new_table(table_of(ir::roots_of_unity(lines.n, lines.sign()), complex), "roots of unity");
  const auto run = [&](const FourierLines& l, const Stage& s, Location to) {
    const std::int64_t items = l.to.count(), rest = l.n / (s.done * s.radix);
    auto k = new_kernel(step_name(node), items);
    KernelBody body(*this, *k);
    ExprPool& pool = k->pool;
    body.note_count(std::max({l.from.count(), items, s.radix * l.n}));
    const ElementMath root{pool, complex};
    const std::int32_t source = body.buffer(at, l.from.dtype, false),
                       roots = body.buffer(table, complex, false);
    const std::vector<ExprId> index = kernel::delinearize(pool, pool.variable(0), l.to.dims);
    const ExprId place = index[l.dimension];
    const ExprId p = pool.mod(place, s.done * s.radix), q = pool.div(place, s.done * s.radix);
    const std::int32_t uv = k->new_variable(s.radix);
    const ExprId u = pool.variable(uv);
    const ExprId position =
        pool.add(pool.mul(pool.add(q, pool.mul(u, rest)), s.done), pool.mod(p, s.done));
    const auto [re, im] = l.element(pool, source, index, position);
    const ExprId w =
        pool.load(roots, complex, pool.mul(pool.mod(pool.mul(u, p), s.done * s.radix), rest));
    const Register sum_re(*k, part), sum_im(*k, part);
    std::vector<Stmt> add{sum_re.multiply_add(re, root.real(w)),
                          sum_im.multiply_add(re, root.imag(w))};
    if (is_complex(l.from.dtype)) {
      add.push_back(sum_re.multiply_add(pool.apply("negate", part, {im}), root.imag(w)));
      add.push_back(sum_im.multiply_add(im, root.real(w)));
    }
    for (const Register& r : {sum_re, sum_im})
      k->body.push_back(r.declare(pool.constant_of(part, 0)));
    k->body.push_back(loop(uv, pool.index(s.radix), std::move(add)));
    const auto scaled = [&](const Register& r) {
      return l.scale == 1
                 ? r.value(pool)
                 : pool.apply("multiply", part, {r.value(pool), pool.constant_of(part, l.scale)});
    };
    const ElementMath out{pool, l.to.dtype};
    k->body.push_back(store(body.buffer(to, l.to.dtype, true), l.to.dtype, pool.variable(0),
                            out.compose(scaled(sum_re), scaled(sum_im))));
    const std::string name = k->stem;
    launch(std::move(k), body, items, name);
  };
  FourierLines l = lines;
  std::int64_t done = 1;
  for (const std::int64_t radix : radices(l.n)) {
    const bool is_last = done * radix == l.n;
    l.mirrors = done == 1 && lines.mirrors;
    l.scale = is_last ? lines.scale : 1;
    l.to = {.dtype = complex, .dims = l.from.dims};
    l.to.dims[l.dimension] = l.n;
    if (is_last) l.to = lines.to;
    const Location to = new_temporary(l.to, step_name(node));
    run(l, {.done = done, .radix = radix}, to);
    at = to;
    l.from = l.to;
    done *= radix;
  }
  return at;
}

Location PlanBuilder::lower_chirp(Location at, const FourierLines& lines, const Node& node) {
  const ir::ChirpTransform by = ir::chirp_transform(lines.n, lines.sign());
  const DType part = lines.part(), complex = lines.complex();
  const std::size_t d = lines.dimension;
  const Location chirp = new_table(table_of(by.chirp, complex), "chirp"),
                 filter = new_table(table_of(by.kernel, complex), "transformed chirp");
  const std::string name = step_name(node);
  Type padded{.dtype = complex, .dims = lines.from.dims};
  padded.dims[d] = by.length;
  const auto new_array = [&](const Type& type) { return new_temporary(type, name); };
  const auto factor = [&](KernelBody& body, const Location& table, ExprId k) {
    return body.pool().load(body.buffer(table, complex, false), complex, k);
  };
  const Location spread = new_array(padded), filtered = new_array(padded),
                 result = new_array(lines.to);
  lower_each(spread, padded, "chirped_" + name, [&](KernelBody& body, auto index) {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, complex};
    body.note_count(lines.from.count());
    const auto [re, im] =
        lines.element(pool, body.buffer(at, lines.from.dtype, false), index, index[d]);
    return pool.choose(pool.less(index[d], pool.index(lines.n)),
                       math.mul(math.compose(re, im), factor(body, chirp, index[d])),
                       math.number(0));
  });
  const FourierLines whole{.n = by.length,
                           .dimension = d,
                           .inverse = false,
                           .mirrors = false,
                           .from = padded,
                           .to = padded,
                           .scale = 1};
  const Location spectrum = lower_fourier(spread, whole, node);
  // The way back is the conjugate of the way there, of the conjugate.
  lower_each(filtered, padded, "filtered_" + name, [&](KernelBody& body, auto index) {
    const ElementMath math{body.pool(), complex};
    const ExprId x = body.pool().load(body.buffer(spectrum, complex, false), complex,
                                      kernel::linear_index(body.pool(), index, padded.dims));
    return math.conj(math.mul(x, factor(body, filter, index[d])));
  });
  const Location sums = lower_fourier(filtered, whole, node);
  lower_each(result, lines.to, "unchirped_" + name, [&](KernelBody& body, auto index) {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, complex}, out{pool, lines.to.dtype};
    body.note_count(padded.count());
    const ExprId x = pool.load(body.buffer(sums, complex, false), complex,
                               FourierLines::at(pool, index, d, index[d], padded));
    const ExprId y = math.mul(math.conj(x), factor(body, chirp, index[d]));
    const auto scaled = [&](ExprId e) {
      return pool.apply("multiply", part,
                        {e, pool.constant_of(part, lines.scale / double(by.length))});
    };
    return out.compose(scaled(math.real(y)), scaled(math.imag(y)));
  });
  return result;
}

void PlanBuilder::lower_fft(Node& node) {
  const std::string& type = node.attrs.text("fft_type");
  const bool inverse = type == "IFFT" || type == "IRFFT";
  const Type &operand = node.operand(0).type(), &result = node.result_types()[0];
  const ir::I64s& lengths = node.attrs.i64s("fft_length");
  const std::size_t rank = operand.dims.size(), last = rank - 1;
  Location at = memory(node.operand(0));
  if (result.count() == 0) {
    locations_[node.result()] = new_temporary(result, step_name(node));
    return;
  }
  // Real transforms keep half of the last dimension, so it goes first, or last on the way back.
  std::vector<std::size_t> order;
  for (std::size_t d = rank - lengths.size(); d < rank; ++d) order.push_back(d);
  if (!inverse) std::rotate(order.begin(), order.end() - 1, order.end());
  FourierLines lines{.n = 0,
                     .dimension = 0,
                     .inverse = inverse,
                     .mirrors = false,
                     .from = operand,
                     .to = {},
                     .scale = 1};
  for (const std::size_t d : order) {
    const bool is_half = d == last && (type == "RFFT" || type == "IRFFT");
    lines.n = lengths[d - (rank - lengths.size())];
    lines.dimension = d;
    lines.mirrors = is_half && inverse;
    lines.to = {.dtype = is_half ? result.dtype : lines.complex(), .dims = lines.from.dims};
    lines.to.dims[d] = result.dims[d];
    lines.scale = inverse ? 1.0 / double(lines.n) : 1.0;
    at = lower_fourier(at, lines, node);
    lines.from = lines.to;
  }
  locations_[node.result()] = at;
}

}  // namespace partita::passes
