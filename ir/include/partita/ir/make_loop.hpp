// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops over 0, 1, …, trips - 1, and the slices that their bodies read and write.  What loops that are there say
// is loops.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "partita/ir/maker.hpp"

namespace partita::ir {

/// Makes, in the loop's body, the values that the carries have in the next iteration.  The body may use
/// values from around the loop.
using LoopStep = std::function<std::vector<Value>(const Maker& body, Value index,
                                                  std::span<const Value> carries)>;

/// A stablehlo.while that runs `step` for each index of type `counter`; the carries' last values.
[[nodiscard]] std::vector<Value> make_counted_loop(const Maker& make, DType counter,
                                                   std::int64_t trips,
                                                   const std::vector<Value>& start,
                                                   const LoopStep& step);

/// `extent` elements of `array` along a dimension from `start` on, an integer scalar.
[[nodiscard]] Value slice_along(const Maker& make, Value array, std::int64_t dimension, Value start,
                                std::int64_t extent);
/// `array` with `slice` written over what slice_along gives.
[[nodiscard]] Value with_slice_along(const Maker& make, Value array, std::int64_t dimension,
                                     Value start, Value slice);

}  // namespace partita::ir
