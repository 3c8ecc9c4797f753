// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A discrete Fourier transform of a few numbers as expressions: by the factors of their number, primes
// by sums over pairs.  What stages of longer transforms are made of; not for lengths that are not
// worth writing out.
#pragma once

#include <vector>

#include "partita/scalar/expr.hpp"

namespace partita::lowering {

/// Parts of a number; an imaginary part of no_expr is zero.
struct ComplexParts {
  scalar::ExprId re = scalar::no_expr, im = scalar::no_expr;
};

class Butterfly {
 public:
  /// Arithmetic on floats of dtype `part`; `sign` of the exponent is 1 or -1.
  Butterfly(scalar::ExprPool& pool, DType part, int sign) : pool_(pool), part_(part), sign_(sign) {}

  /// Σ x[k] · exp(sign · 2πi · k · j / n) for each j, n the number of x.
  [[nodiscard]] std::vector<ComplexParts> transform(const std::vector<ComplexParts>& x) const;

  [[nodiscard]] ComplexParts add(ComplexParts x, ComplexParts y) const;
  [[nodiscard]] ComplexParts sub(ComplexParts x, ComplexParts y) const;
  [[nodiscard]] ComplexParts mul(ComplexParts x, ComplexParts y) const;

 private:
  using E = scalar::ExprId;
  [[nodiscard]] std::vector<ComplexParts> of_prime(const std::vector<ComplexParts>& x) const;
  /// x · exp(sign · 2πi · k / n)
  [[nodiscard]] ComplexParts turned(ComplexParts x, std::int64_t k, std::int64_t n) const;
  [[nodiscard]] ComplexParts scaled(ComplexParts x, double by) const;
  [[nodiscard]] E apply(std::string_view row, E x, E y) const {
    return pool_.apply(row, part_, {x, y});
  }
  // Sums and products of negated numbers are written without the negation.
  [[nodiscard]] E plus(E x, E y) const;
  [[nodiscard]] E minus(E x, E y) const;
  [[nodiscard]] E times(E x, double by) const;
  [[nodiscard]] E negated(E x) const;
  /// What `x` is the negation of; else no_expr.
  [[nodiscard]] E opposite(E x) const;
  [[nodiscard]] E number(double x) const { return pool_.constant_of(part_, x); }

  scalar::ExprPool& pool_;
  DType part_;
  int sign_;
};

}  // namespace partita::lowering
