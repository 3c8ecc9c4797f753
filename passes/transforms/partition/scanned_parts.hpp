// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A scan along a dimension that an axis of the mesh cuts, as of a cumulative sum: each shard scans its part, the
// totals of all parts travel, and what the parts before combine to is added.
#pragma once

#include "passes/transforms/partition/parts_cost.hpp"
#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

/// The dimension of a reduce_window that is a scan by a combiner and starts from what changes nothing under it.
[[nodiscard]] std::optional<int> scanned_dim(const ir::Node& node);
[[nodiscard]] PartsCost scanned_parts_cost(const ir::Node& node, const ir::AxisPosition& at,
                                           const MeshCut& cut);
/// The shard's part of the result.  `operands`: its part, and the initial value.
[[nodiscard]] std::vector<ir::Value> scanned_parts(const ir::Node& node, const ir::AxisPosition& at,
                                                   const MeshCut& cut,
                                                   std::span<const ir::Value> operands,
                                                   ir::Graph& into);

}  // namespace partita::passes
