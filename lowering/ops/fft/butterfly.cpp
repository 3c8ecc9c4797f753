// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/fft/butterfly.hpp"

#include <cmath>
#include <numbers>

namespace partita::lowering {

using scalar::no_expr;

scalar::ExprId Butterfly::opposite(E x) const {
  const scalar::Expr& e = pool_[x];
  return e.kind == scalar::ExprKind::apply && e.name == "negate" ? e.operands[0] : no_expr;
}

scalar::ExprId Butterfly::negated(E x) const {
  if (x == no_expr) return x;
  if (const E of = opposite(x); of != no_expr) return of;
  const scalar::Expr e = pool_[x];
  if (e.kind == scalar::ExprKind::apply && e.name == "subtract")
    return apply("subtract", e.operands[1], e.operands[0]);
  return pool_.apply("negate", part_, {x});
}

scalar::ExprId Butterfly::plus(E x, E y) const {
  if (const E of = opposite(y); of != no_expr) return minus(x, of);
  if (const E of = opposite(x); of != no_expr) return apply("subtract", y, of);
  return apply("add", x, y);
}

scalar::ExprId Butterfly::minus(E x, E y) const {
  if (const E of = opposite(y); of != no_expr) return plus(x, of);
  if (const E of = opposite(x); of != no_expr) return negated(apply("add", of, y));
  return apply("subtract", x, y);
}

scalar::ExprId Butterfly::times(E x, double by) const {
  const E of = opposite(x);
  return of != no_expr ? apply("multiply", of, number(-by)) : apply("multiply", x, number(by));
}

ComplexParts Butterfly::add(ComplexParts x, ComplexParts y) const {
  return {plus(x.re, y.re), x.im == no_expr ? y.im : y.im == no_expr ? x.im : plus(x.im, y.im)};
}

ComplexParts Butterfly::sub(ComplexParts x, ComplexParts y) const {
  return {minus(x.re, y.re), x.im == no_expr   ? negated(y.im)
                             : y.im == no_expr ? x.im
                                               : minus(x.im, y.im)};
}

ComplexParts Butterfly::mul(ComplexParts x, ComplexParts y) const {
  const E re = apply("multiply", x.re, y.re), im = apply("multiply", x.re, y.im);
  if (x.im == no_expr) return {re, im};
  return {apply("subtract", re, apply("multiply", x.im, y.im)),
          apply("add", im, apply("multiply", x.im, y.re))};
}

ComplexParts Butterfly::scaled(ComplexParts x, double by) const {
  return {times(x.re, by), x.im == no_expr ? no_expr : times(x.im, by)};
}

ComplexParts Butterfly::turned(ComplexParts x, std::int64_t k, std::int64_t n) const {
  k = (sign_ * k % n + n) % n;
  const auto quarter = [&](ComplexParts z) {  // · i
    const E zero = number(0);
    return ComplexParts{z.im == no_expr ? zero : negated(z.im), z.re};
  };
  // By quarters of a turn, then by an eighth; other angles by a product.
  for (; k * 4 >= n; k -= n / 4) {
    if (n % 4 != 0) break;
    x = quarter(x);
  }
  if (k == 0) return x;
  if (2 * k == n) return {negated(x.re), negated(x.im)};
  if (8 * k == n) {
    const ComplexParts sum = add(x, quarter(x));
    return scaled(sum, std::numbers::sqrt2 / 2);
  }
  const double angle = 2 * std::numbers::pi * double(k) / double(n);
  const double cosine = std::cos(angle), sine = std::sin(angle);
  if (x.im == no_expr) return {times(x.re, cosine), times(x.re, sine)};
  return {minus(times(x.re, cosine), times(x.im, sine)),
          plus(times(x.im, cosine), times(x.re, sine))};
}

std::vector<ComplexParts> Butterfly::of_prime(const std::vector<ComplexParts>& x) const {
  const std::int64_t n = std::int64_t(x.size());
  if (n == 2) return {add(x[0], x[1]), sub(x[0], x[1])};
  std::vector<ComplexParts> sums, differences, result(x.size());
  result[0] = x[0];
  for (std::int64_t k = 1; 2 * k < n; ++k) {
    const std::size_t a = std::size_t(k), b = std::size_t(n - k);
    sums.push_back(add(x[a], x[b]));
    differences.push_back(sub(x[a], x[b]));
    result[0] = add(result[0], sums.back());
  }
  for (std::int64_t j = 1; 2 * j < n; ++j) {
    ComplexParts even = x[0], odd;
    for (std::int64_t k = 1; 2 * k < n; ++k) {
      const double angle = 2 * std::numbers::pi * double(j * k % n) / double(n);
      even = add(even, scaled(sums[std::size_t(k - 1)], std::cos(angle)));
      const ComplexParts term = scaled(differences[std::size_t(k - 1)], sign_ * std::sin(angle));
      odd = k == 1 ? term : add(odd, term);
    }
    const ComplexParts turn{odd.im == no_expr ? number(0) : negated(odd.im), odd.re};
    result[std::size_t(j)] = add(even, turn);
    result[std::size_t(n - j)] = sub(even, turn);
  }
  return result;
}

std::vector<ComplexParts> Butterfly::transform(const std::vector<ComplexParts>& x) const {
  const std::size_t n = x.size();
  std::size_t a = 2;
  while (a * a <= n && n % a != 0) ++a;
  if (n == 1) return x;
  if (a * a > n) return of_prime(x);
  if (n % 4 == 0 && n > 4) a = 4;
  // Elements b·u + v: a transform over u for each v, then one over v.
  const std::size_t b = n / a;
  std::vector<std::vector<ComplexParts>> inner;
  for (std::size_t v = 0; v < b; ++v) {
    std::vector<ComplexParts> part;
    for (std::size_t u = 0; u < a; ++u) part.push_back(x[b * u + v]);
    inner.push_back(transform(part));
  }
  std::vector<ComplexParts> result(n);
  for (std::size_t j = 0; j < a; ++j) {
    std::vector<ComplexParts> part;
    for (std::size_t v = 0; v < b; ++v)
      part.push_back(turned(inner[v][j], std::int64_t(v * j), std::int64_t(n)));
    const std::vector<ComplexParts> outer = transform(part);
    for (std::size_t l = 0; l < b; ++l) result[j + a * l] = outer[l];
  }
  return result;
}

}  // namespace partita::lowering
