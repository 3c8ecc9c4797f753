// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Arithmetic on elements of one dtype, real or complex alike, as expressions.
#pragma once

#include "partita/scalar/elementwise.hpp"
#include "partita/scalar/expr.hpp"

namespace partita::kernel {

/// Arithmetic on floats or complex numbers of one dtype.
struct ElementMath {
  scalar::ExprPool& pool;
  DType d;
  DType part = part_dtype(d);

  using E = scalar::ExprId;
  [[nodiscard]] E add(E x, E y) const { return pool.apply("add", d, {x, y}); }
  [[nodiscard]] E sub(E x, E y) const { return pool.apply("subtract", d, {x, y}); }
  [[nodiscard]] E mul(E x, E y) const { return pool.apply("multiply", d, {x, y}); }
  [[nodiscard]] E div(E x, E y) const { return pool.apply("divide", d, {x, y}); }
  [[nodiscard]] E real(E x) const { return is_complex(d) ? pool.apply("real", d, {x}) : x; }
  [[nodiscard]] E imag(E x) const {
    return is_complex(d) ? pool.apply("imag", d, {x}) : pool.constant_of(d, 0);
  }
  /// A complex number of two parts; the first where d is not complex.
  [[nodiscard]] E compose(E re, E im) const {
    return is_complex(d) ? pool.apply("complex", part, {re, im}) : re;
  }
  [[nodiscard]] E number(double x) const {
    return compose(pool.constant_of(part, x), pool.constant_of(part, 0));
  }
  [[nodiscard]] E conj(E x) const {
    return is_complex(d) ? compose(real(x), pool.apply("negate", part, {imag(x)})) : x;
  }
  /// x / y for y of the part's dtype.
  [[nodiscard]] E div_part(E x, E y) const {
    return compose(pool.apply("divide", part, {real(x), y}),
                   is_complex(d) ? pool.apply("divide", part, {imag(x), y}) : x);
  }
  /// |x|², of the part's dtype.
  [[nodiscard]] E norm(E x) const {
    const E square = pool.apply("multiply", part, {real(x), real(x)});
    if (!is_complex(d)) return square;
    return pool.apply("add", part, {square, pool.apply("multiply", part, {imag(x), imag(x)})});
  }
};

}  // namespace partita::kernel
