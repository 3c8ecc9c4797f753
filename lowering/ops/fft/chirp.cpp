// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms of lengths with a large prime factor: a line is convolved with a chirp, by
// transforms of a smooth length (fourier.hpp).
#include <algorithm>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/ops/fft/fourier_lines.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

Location lower_chirp(Context& context, Location at, const FourierLines& lines, const Node& node) {
  const ir::ChirpTransform by = ir::chirp_transform(lines.n, lines.sign());
  const DType part = lines.part(), complex = lines.complex();
  const std::size_t d = lines.dimension;
  const Location chirp = context.new_constant(table_of(by.chirp, complex), "chirp"),
                 filter = context.new_constant(table_of(by.kernel, complex), "transformed chirp");
  const std::string name = step_name(node);
  Type padded{.dtype = complex, .dims = lines.from.dims};
  padded.dims[d] = by.length;
  const auto new_array = [&](const Type& type) { return context.new_temporary(type, name); };
  const auto factor = [&](KernelBody& body, const Location& table, ExprId k) {
    return body.pool().load(body.buffer(table, complex, false), complex, k);
  };
  const Location spread = new_array(padded), filtered = new_array(padded),
                 result = new_array(lines.to);
  lower_each(context, spread, padded, "chirped_" + name, [&](KernelBody& body, auto index) {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, complex};
    body.note_count(lines.from.count());
    const auto [re, im] =
        lines.element(pool, body.buffer(at, lines.from.dtype, false), index, index[d]);
    const ExprId x = math.compose(re, im == scalar::no_expr ? pool.constant_of(part, 0) : im);
    return pool.choose(pool.less(index[d], pool.index(lines.n)),
                       math.mul(x, factor(body, chirp, index[d])), math.number(0));
  });
  const FourierLines whole{.n = by.length,
                           .dimension = d,
                           .inverse = false,
                           .mirrors = false,
                           .from = padded,
                           .to = padded,
                           .scale = 1};
  const Location spectrum = lower_fourier(context, spread, whole, node);
  // The way back is the conjugate of the way there, of the conjugate.
  lower_each(context, filtered, padded, "filtered_" + name, [&](KernelBody& body, auto index) {
    const ElementMath math{body.pool(), complex};
    const ExprId x = body.pool().load(body.buffer(spectrum, complex, false), complex,
                                      scalar::linear_index(body.pool(), index, padded.dims));
    return math.conj(math.mul(x, factor(body, filter, index[d])));
  });
  const Location sums = lower_fourier(context, filtered, whole, node);
  lower_each(context, result, lines.to, "unchirped_" + name, [&](KernelBody& body, auto index) {
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

}  // namespace partita::lowering
