// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is known of a loop before it runs: carries that are counters, and how often the body runs.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/ir/loops.hpp"

namespace partita::ir {

/// The integer that a scalar is, where constants and plain arithmetic of them say it.
[[nodiscard]] std::optional<std::int64_t> constant_integer(Value v);

/// first + t·step in iteration t, in the carry's type.
struct Counter {
  std::int64_t first = 0, step = 1;
};
/// Carry k of a stablehlo.while as a counter: a scalar integer from a constant by constant steps.
[[nodiscard]] std::optional<Counter> counter_carry(const Node& loop, std::size_t k);
/// How often the body of a stablehlo.while runs: a counter is compared with a constant.
[[nodiscard]] std::optional<std::int64_t> trip_count(const Node& loop);

}  // namespace partita::ir
