// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Integer expressions that the host evaluates while it runs a plan: loop bounds, launch sizes and
// element offsets.  Their variables are the plan's (block bounds of this shard, loop counters).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace partita {

/// A value type; building folds constants, so an expression of constants is a constant.
class HostExpr {
 public:
  enum class Kind : std::uint8_t { constant, variable, add, sub, mul, div, mod, min, max };

  HostExpr(std::int64_t constant = 0) : value_(constant) {}  // NOLINT(google-explicit-constructor)
  /// Variable `index` of Plan::variables.
  [[nodiscard]] static HostExpr variable(int index);
  /// `div` and `mod` truncate and take a divisor that is not 0.
  [[nodiscard]] static HostExpr binary(Kind kind, HostExpr a, HostExpr b);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::int64_t value() const { return value_; }  ///< constant, or variable index
  [[nodiscard]] const std::vector<HostExpr>& operands() const { return operands_; }
  [[nodiscard]] bool is_constant() const { return kind_ == Kind::constant; }
  [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> variables) const;
  bool operator==(const HostExpr&) const = default;

 private:
  Kind kind_ = Kind::constant;
  std::int64_t value_ = 0;
  std::vector<HostExpr> operands_;
};

/// A number by which the expression is divisible whatever its variables are; 0 of 0.
[[nodiscard]] std::int64_t known_divisor(const HostExpr& e);

[[nodiscard]] HostExpr operator+(HostExpr a, HostExpr b);
[[nodiscard]] HostExpr operator-(HostExpr a, HostExpr b);
[[nodiscard]] HostExpr operator*(HostExpr a, HostExpr b);
[[nodiscard]] HostExpr min(HostExpr a, HostExpr b);
[[nodiscard]] HostExpr max(HostExpr a, HostExpr b);

}  // namespace partita
