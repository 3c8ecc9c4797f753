// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How an axis of a mesh goes through one node: at the least cost, counted in bytes that travel.
#pragma once

#include <functional>

#include "passes/transforms/partition/held_values.hpp"

namespace partita::passes {

/// A flow for which every operand and result has a place; untouched where it is best that every shard computes all.
[[nodiscard]] ir::AxisFlow choose_flow(const ir::Node& node, const MeshCut& cut,
                                       const AxisPlan& plan, const HeldValues& held);

/// What a flow of the node costs: bytes that travel, and the work of a shard as the bytes that it could send meanwhile.
[[nodiscard]] double flow_cost(const ir::Node& node, const ir::AxisFlow& flow, const MeshCut& cut,
                               const AxisPlan& plan, const HeldValues& held);
/// Of computing all of the node, in bytes that could travel meanwhile.
[[nodiscard]] double node_work(const ir::Node& node);

/// Whether collectives of a mesh combine what parts of a reduced factor give.
[[nodiscard]] bool has_mesh_combiner(const ir::Node& node, const ir::AxisFlow& flow);
/// Whether what parts give is reduced again by the node's own region, as of an argmax.
[[nodiscard]] bool reduces_again(const ir::Node& node, const ir::AxisFlow& flow);

/// Where the node is linear in operands that are terms of combinations over shards (`partial` says of which):
/// the combiner by which its results are such terms.
[[nodiscard]] std::optional<Combiner> partial_through(
    const ir::Node& node, const std::function<std::optional<Combiner>(ir::Value)>& partial);

}  // namespace partita::passes
