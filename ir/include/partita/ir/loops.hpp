// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the regions of a stablehlo.while say of its carries: which stay the same, which are added to.
// Who asks decides what a counted loop is: derivatives want a number of trips known here, kernel
// formation takes a bound that the host computes.
#pragma once

#include <cstdint>
#include <optional>

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

/// A counted loop: `induction` starts at an integer, grows by `step`, ends before `end`.
struct CountedLoop {
  int induction = 0;  ///< index of the carried value
  std::int64_t step = 1;
  Value end;  ///< bound in the condition: a constant, a capture or a pass-through carry
};
/// Recognises `while (i < end) { …; i += step }` with i a scalar integer; nothing when it is not one.
[[nodiscard]] std::optional<CountedLoop> counted_loop(const Node& loop);

}  // namespace partita::ir
