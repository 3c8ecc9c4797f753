// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is known of a sort's comparator, and of what its results are read for.
#pragma once

#include <cstdint>

#include "partita/ir/graph.hpp"

namespace partita::lowering {

/// Whether the comparator surely gives an order: greater or less of the first operand's elements.
[[nodiscard]] bool has_order(const ir::Node& sort);
/// The same of what it makes of the elements of either side, by the same ops.
[[nodiscard]] bool has_key_order(const ir::Node& sort);
/// How many elements of each slice of `n` along a dimension, from the first on, anything reads; `n` where that is not known.
[[nodiscard]] std::int64_t used_prefix(const ir::Node& sort, std::size_t dimension, std::int64_t n);

}  // namespace partita::lowering
