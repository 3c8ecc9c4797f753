// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the regions of a stablehlo.while say of its carries: which stay the same, which are added to,
// and which of these the condition compares.  Who asks decides what of that must be known: derivatives
// want a number of trips, kernel formation takes an end that the host computes, ranges any end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "partita/ir/graph.hpp"

namespace partita::ir {

[[nodiscard]] bool is_scalar_integer(const Type& type);
/// The number that a stablehlo.constant of an integer scalar holds, as 64 bits.
[[nodiscard]] std::optional<std::int64_t> integer_constant(Value v);
/// The value behind conversions to its own type.
[[nodiscard]] Value without_conversions(Value v);

/// Whether the body of a stablehlo.while passes carry k on unchanged.
[[nodiscard]] bool is_passed_on(const Node& loop, std::size_t k);

/// What the body adds to a carry, or subtracts from it.
struct CarryStep {
  Value by;
  bool is_sum = true;
};
/// Of carry k where its next value is a sum or difference of it and something else.
[[nodiscard]] std::optional<CarryStep> carry_step(const Node& loop, std::size_t k);

/// A loop that goes on while a carry, which each iteration adds to, is on one side of an end.
struct CountedLoop {
  int induction = 0;  ///< index of the carry
  /// The loop goes on while induction DIRECTION end: "LT", "LE", "GT", "GE", "EQ" or "NE".
  std::string_view direction;
  Value end;  ///< as the condition sees it
  /// The end where it is the same in every iteration, as a value outside of the condition, or a
  /// constant: what the end is, or what a carry that the body passes on starts from.
  std::optional<Value> outer_end;
  CarryStep update;

  /// The step of `i < end; i += step`, where it is a positive constant.
  [[nodiscard]] std::optional<std::int64_t> rising_step() const;
};
/// Recognises `while (i DIRECTION end) { …; i ± step }`, the sides in either order, with i a scalar
/// integer; nothing when it is not one.
[[nodiscard]] std::optional<CountedLoop> counted_loop(const Node& loop);

/// The direction of a comparison whose sides change places.
[[nodiscard]] std::string_view mirrored(std::string_view direction);

}  // namespace partita::ir
