// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the ops of a softmax's gradient compute, whatever form they have: sums of products of powers of the weights p,
// of their cotangents g, of the sums z that exponentials are divided by, and of the dots d, a row's sum of p g.
// Conversions are taken for exact, weights of a row for a sum of 1.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "passes/transforms/form_attention/softmax.hpp"

namespace partita::passes::transforms {

class RowAlgebra {
 public:
  /// Powers of p, g, z and d.
  using Monomial = std::array<int, 4>;
  using Polynomial = std::map<Monomial, double>;

  /// `interior`: what is made of scores and cotangents.
  RowAlgebra(const Softmax& softmax, const Value& cotangents, const std::set<Value>& interior);

  /// Nothing where it is no polynomial.
  [[nodiscard]] const std::optional<Polynomial>& of(const Value& v);
  /// Whether it is the weights.
  [[nodiscard]] bool is_weights(const Value& v);
  /// c where it is c p (g - d), a multiple of the softmax's gradient.
  [[nodiscard]] std::optional<double> gradient_factor(const Value& v);

 private:
  [[nodiscard]] std::optional<Polynomial> compute(const Value& v);
  [[nodiscard]] std::optional<Polynomial> elementwise(const Node& node);
  [[nodiscard]] std::optional<Polynomial> reduced(const Node& node);

  const Softmax& softmax_;
  const std::set<Value>& interior_;
  std::map<Value, std::optional<Polynomial>> known_;
};

}  // namespace partita::passes::transforms
