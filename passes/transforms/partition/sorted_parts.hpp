// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A sort along a dimension that an axis of the mesh cuts.  Each shard sorts its part; then pairs of shards exchange
// parts, one keeps the lower and one the upper elements, by a network that sorts as many keys as there are shards.
#pragma once

#include "passes/transforms/partition/parts_cost.hpp"
#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

/// Whether it is a sort along the dimension whose comparator is surely an order: another one gives what its comparisons of
/// the whole give (sorting.hpp).
[[nodiscard]] bool is_sorted_along(const ir::Node& node, int dim);
[[nodiscard]] PartsCost sorted_parts_cost(const ir::Node& node, const ir::AxisPosition& at,
                                          const MeshCut& cut);
/// The shard's parts of the results, by its parts of the operands.
[[nodiscard]] std::vector<ir::Value> sorted_parts(const ir::Node& node, const ir::AxisPosition& at,
                                                  const MeshCut& cut,
                                                  std::span<const ir::Value> operands,
                                                  ir::Graph& into);

}  // namespace partita::passes
