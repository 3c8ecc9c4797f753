// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lines of 2 n real numbers as n complex ones z[k] = x[2k] + i · x[2k + 1] (R. N. Bracewell, The Fourier Transform and Its
// Applications): with Z the transform of z and w = exp(-2πi / 2n), that of x is
//   X[k] = (Z[k] + Z*[n - k]) / 2 - i · w^k · (Z[k] - Z*[n - k]) / 2,   k from 0 to n, Z[n] = Z[0],
// and on the way back 2 Z[k] = X[k] + X*[n - k] + i · w^-k · (X[k] - X*[n - k]).
#include "lowering/ops/fft/fourier_lines.hpp"

namespace partita::lowering {

using scalar::ExprId;
using scalar::ExprPool;

ComplexParts FourierLines::spectrum(ExprPool& pool, ComplexParts at, ComplexParts mirrored,
                                    ComplexParts root) const {
  const Butterfly math(pool, part(), sign());
  const auto negated = [&](ExprId e) { return pool.apply("negate", part(), {e}); };
  const ComplexParts conjugate{mirrored.re, negated(mirrored.im)};
  const ComplexParts even = math.add(at, conjugate), odd = math.sub(at, conjugate);
  const ComplexParts sum = math.add(even, math.mul(root, {odd.im, negated(odd.re)}));
  const ExprId half = pool.constant_of(part(), 0.5);
  return {pool.apply("multiply", part(), {sum.re, half}),
          pool.apply("multiply", part(), {sum.im, half})};
}

ComplexParts FourierLines::pair(ExprPool& pool, std::int32_t source, std::span<const ExprId> index,
                                ExprId position) const {
  const ExprId first = at(pool, index, dimension, pool.mul(position, 2), from);
  return {pool.load(source, from.dtype, first), pool.load(source, from.dtype, pool.add(first, 1))};
}

ComplexParts FourierLines::of_spectrum(ExprPool& pool, std::int32_t source,
                                       std::span<const ExprId> index, ExprId position,
                                       ComplexParts root) const {
  const Butterfly math(pool, part(), sign());
  const ElementMath in{pool, from.dtype};
  const auto load = [&](ExprId k) {
    const ExprId x = pool.load(source, from.dtype, at(pool, index, dimension, k, from));
    return ComplexParts{in.real(x), in.imag(x)};
  };
  // The ends of a spectrum of real numbers are real.
  const ExprId is_end = pool.equal(position, pool.index(0)), zero = pool.constant_of(part(), 0);
  ComplexParts x = load(position), y = load(pool.sub(pool.index(n), position));
  x.im = pool.choose(is_end, zero, x.im);
  y.im = pool.choose(is_end, zero, pool.apply("negate", part(), {y.im}));
  const ComplexParts odd = math.mul(root, math.sub(x, y));
  return math.add(math.add(x, y), {pool.apply("negate", part(), {odd.im}), odd.re});
}

}  // namespace partita::lowering
