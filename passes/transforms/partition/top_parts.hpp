// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The largest elements along a dimension that an axis of the mesh cuts: those of each part travel, and the largest
// of them are the whole's.
#pragma once

#include "passes/transforms/partition/parts_cost.hpp"
#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

/// Whether it is a chlo.top_k along the dimension.
[[nodiscard]] bool is_top_along(const ir::Node& node, int dim);
[[nodiscard]] PartsCost top_parts_cost(const ir::Node& node, const ir::AxisPosition& at,
                                       const MeshCut& cut);
/// The whole results, by the shard's part of the operand.
[[nodiscard]] std::vector<ir::Value> top_parts(const ir::Node& node, const ir::AxisPosition& at,
                                               const MeshCut& cut,
                                               std::span<const ir::Value> operands,
                                               ir::Graph& into);

}  // namespace partita::passes
