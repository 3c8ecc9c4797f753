// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A scan along a dimension that an axis of the mesh cuts, as of a cumulative sum: each shard scans its part, the
// totals of all parts travel, and what the parts before combine to is combined with it.
#pragma once

#include "passes/transforms/partition/parts_cost.hpp"
#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

/// Whether it is a reduce_window that scans the dimension: by a combiner, from what changes nothing under it; or by a region
/// of its own, as that of a cumulative argmax, which with its initial values is a monoid as StableHLO has it.
[[nodiscard]] bool is_scanned_along(const ir::Node& node, int dim);
[[nodiscard]] PartsCost scanned_parts_cost(const ir::Node& node, const ir::AxisPosition& at,
                                           const MeshCut& cut);
/// The shard's parts of the results.  `operands`: its parts, and the initial values.
[[nodiscard]] std::vector<ir::Value> scanned_parts(const ir::Node& node, const ir::AxisPosition& at,
                                                   const MeshCut& cut,
                                                   std::span<const ir::Value> operands,
                                                   ir::Graph& into);

}  // namespace partita::passes
