// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The comparisons that a sort makes, which are part of its meaning: a comparator that is no strict
// weak order gives the permutation that they give, on every target.  Runs of `insertion_run`
// elements are sorted by insertion from the back: an element goes before those behind which it does
// not belong, up to the first that stays.  Then neighbouring runs are merged, from short to long:
// the right one's next element goes first where the comparator holds for it and the left one's.
#pragma once

#include <cstdint>

#include "partita/ir/graph.hpp"

namespace partita::ir {

inline constexpr std::int64_t insertion_run = 16;

/// The dimension along which a stablehlo.sort sorts.
[[nodiscard]] int sort_dimension(const Node& sort);
/// Whether comparing greater or less is a strict order of all elements of the operands.
[[nodiscard]] bool is_strict_comparison(const Node& compare);
/// Whether a comparator is surely a strict weak order, so that any way to sort stably gives one permutation: greater or
/// less of what it makes of the elements of either side, by the same ops; of several such keys one after the other.
[[nodiscard]] bool is_weak_order(const Graph& comparator);
/// Whether its order is that of the first operand's elements, so that two between which it does not tell are the same.
[[nodiscard]] bool is_first_operand_order(const Graph& comparator);

}  // namespace partita::ir
