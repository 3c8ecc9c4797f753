// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms of any length: one launch for each group of prime factors, without reordering.
// With P the product of the factors done, r the next and n = P·r·R, a line holds at q·P + p what is
// known of frequency p (mod P) of the elements q (mod r·R); a stage gives
//   out[q, p'] = Σ_{u<r} w^(u·p'·R) · in[q + u·R, p' mod P],   w = exp(∓2πi/n), p' < r·P,
// from P = 1, the elements as they are, to P = n, the result.  The powers of w come from a table
// that was made in f64.
#include <cmath>
#include <complex>
#include <numbers>

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

HostArray roots_of_unity(std::int64_t n, bool inverse, DType d) {
  HostArray table(Type{.dtype = DType::c128, .dims = {n}});
  for (std::int64_t k = 0; k < n; ++k)
    table.data<DType::c128>()[k] =
        std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * double(k) / double(n));
  return convert(table, d);
}

/// One launch.
struct Stage {
  std::int64_t n, done, radix;
  std::size_t dimension;
  Type from, to;           ///< of the arrays; extents along the dimension may be less than n
  bool is_first, mirrors;  ///< mirrors: elements beyond those there are conjugates of n - k
  double scale;

  [[nodiscard]] std::int64_t rest() const { return n / (done * radix); }
};

}  // namespace

void PlanBuilder::lower_fft(Node& node) {
  const std::string& type = node.attrs.text("fft_type");
  const bool inverse = type == "IFFT" || type == "IRFFT";
  const Type &operand = node.operand(0).type(), &result = node.result_types()[0];
  const DType part = ir::part_dtype(operand.dtype);
  const DType complex = part == DType::f32 ? DType::c64 : DType::c128;
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
  Type current = operand;
  const auto run = [&](const Stage& s, const Location& table, Location to) {
    const std::int64_t items = s.to.count();
    auto k = new_kernel(step_name(node), items);
    KernelBody body(*this, *k);
    ExprPool& pool = k->pool;
    body.note_count(std::max({s.from.count(), items, s.radix * s.n}));
    const ElementMath in{pool, s.from.dtype}, root{pool, complex};
    const std::int32_t source = body.buffer(at, s.from.dtype, false),
                       roots = body.buffer(table, complex, false);
    std::vector<ExprId> index = kernel::delinearize(pool, pool.variable(0), s.to.dims);
    const ExprId place = index[s.dimension];
    const ExprId p = pool.mod(place, s.done * s.radix), q = pool.div(place, s.done * s.radix);
    const std::int32_t uv = k->new_variable(s.radix);
    const ExprId u = pool.variable(uv);
    const ExprId element =
        pool.add(pool.mul(pool.add(q, pool.mul(u, s.rest())), s.done), pool.mod(p, s.done));
    const auto load = [&](ExprId position) {
      std::vector<ExprId> full = index;
      full[s.dimension] = position;
      return pool.load(source, s.from.dtype, kernel::linear_index(pool, full, s.from.dims));
    };
    ExprId re, im;
    if (s.mirrors) {
      const ExprId mirrored = load(pool.sub(pool.index(s.n), element));
      const ExprId is_there = pool.less(element, pool.index(s.from.dims[s.dimension]));
      const ExprId x = pool.choose(is_there, load(element), in.conj(mirrored));
      re = in.real(x);
      im = in.imag(x);
    } else {
      re = in.real(load(element));
      im = in.imag(load(element));
    }
    const ExprId w =
        pool.load(roots, complex, pool.mul(pool.mod(pool.mul(u, p), s.done * s.radix), s.rest()));
    const Register sum_re(*k, part), sum_im(*k, part);
    std::vector<Stmt> add{sum_re.multiply_add(re, root.real(w)),
                          sum_im.multiply_add(re, root.imag(w))};
    if (is_complex(s.from.dtype)) {
      add.push_back(sum_re.multiply_add(pool.apply("negate", part, {im}), root.imag(w)));
      add.push_back(sum_im.multiply_add(im, root.real(w)));
    }
    for (const Register& r : {sum_re, sum_im})
      k->body.push_back(r.declare(pool.constant_of(part, 0)));
    k->body.push_back(loop(uv, pool.index(s.radix), std::move(add)));
    const auto scaled = [&](const Register& r) {
      return s.scale == 1
                 ? r.value(pool)
                 : pool.apply("multiply", part, {r.value(pool), pool.constant_of(part, s.scale)});
    };
    const ElementMath out{pool, s.to.dtype};
    k->body.push_back(store(body.buffer(to, s.to.dtype, true), s.to.dtype, pool.variable(0),
                            out.compose(scaled(sum_re), scaled(sum_im))));
    const std::string name = k->stem;
    launch(std::move(k), body, items, name);
  };
  for (const std::size_t d : order) {
    const std::int64_t n = lengths[d - (rank - lengths.size())];
    const bool is_half = d == last && (type == "RFFT" || type == "IRFFT");
    draft_.constants.push_back(roots_of_unity(n, inverse, complex));
    const Location table{new_buffer(BufferKind::constant, complex, HostExpr(n), "roots of unity",
                                    int(draft_.constants.size()) - 1),
                         0};
    std::int64_t done = 1;
    for (const std::int64_t radix : radices(n)) {
      const bool ends = done * radix == n;
      Type next{.dtype = complex, .dims = current.dims};
      next.dims[d] = ends ? result.dims[d] : n;
      if (ends && is_half) next.dtype = result.dtype;
      const Location to = new_temporary(next, step_name(node));
      run({.n = n,
           .done = done,
           .radix = radix,
           .dimension = d,
           .from = current,
           .to = next,
           .is_first = done == 1,
           .mirrors = done == 1 && is_half && inverse,
           .scale = ends && inverse ? 1.0 / double(n) : 1.0},
          table, to);
      at = to;
      current = next;
      done *= radix;
      if (ends) break;
    }
  }
  locations_[node.result()] = at;
}

}  // namespace partita::passes
