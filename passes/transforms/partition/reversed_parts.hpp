// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A reverse along a dimension that an axis of the mesh cuts: the shards exchange their parts, the first with the last,
// and each turns what it gets.
#pragma once

#include "passes/transforms/partition/parts_cost.hpp"
#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

/// Whether it is a stablehlo.reverse along the dimension.
[[nodiscard]] bool is_reversed_along(const ir::Node& node, int dim);
/// Infinite where there is so much padding that it does not come from the next shard alone.
[[nodiscard]] PartsCost reversed_parts_cost(const ir::Node& node, const ir::AxisPosition& at,
                                            const MeshCut& cut);
/// The shard's part of the result, by its part of the operand.
[[nodiscard]] std::vector<ir::Value> reversed_parts(const ir::Node& node,
                                                    const ir::AxisPosition& at, const MeshCut& cut,
                                                    std::span<const ir::Value> operands,
                                                    ir::Graph& into);

}  // namespace partita::passes
