// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of control flow: branches (case, if) and loops (while).
#pragma once

#include "partita/ir/derivative.hpp"

namespace partita::ir {

[[nodiscard]] Derivative branch_derivative();
[[nodiscard]] Derivative loop_derivative();

/// split_region (derivative.hpp) where `is_free` says which arguments before `first_seed` take no
/// bytes to keep.
[[nodiscard]] SplitRegion split_region(const Graph& graph, std::size_t primal_results,
                                       int first_seed, const std::vector<bool>& is_free);

/// Says on a node which of its results are there for its reverse alone; until `take_residuals`.
void mark_residuals(Node& node, std::size_t first, std::size_t count);

// --- What the two share ---------------------------------------------------------------------------

/// Values from outside of a region that it uses, each once, in the order of their uses.
[[nodiscard]] Values outer_values(const Graph& region);
/// Adds to a sum what a rule emitted: parts of it that are zero elsewhere are added in place.
[[nodiscard]] Value accumulated(const DerivativeContext& c, Value sum, Value term);

}  // namespace partita::ir
