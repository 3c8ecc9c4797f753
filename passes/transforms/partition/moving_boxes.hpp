// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Boxes at places that are known only when the program runs, as dynamic_slice reads and dynamic_update_slice writes them,
// along a dimension that an axis of a mesh cuts.  Each shard does what falls into its part; a box over most of the
// dimension is cut itself, and the parts move.  Not for boxes at constant places (node_windows).
#pragma once

#include "passes/transforms/partition/halo.hpp"

namespace partita::passes {

/// Whether the node reads or writes a box that is shorter than the dimension of its array, at no constant place along it.
[[nodiscard]] bool has_moving_box(const ir::Node& node, int dim);

/// The box of such a node.
[[nodiscard]] ir::Value box_of(const ir::Node& node);
/// Where the box lies by its array, and the other way round; nothing where it is short, so that each shard has all of it.
[[nodiscard]] std::optional<ir::AxisPosition> place_of_box(const ir::Node& node, std::int64_t n,
                                                           const ir::AxisPosition& array);
[[nodiscard]] std::optional<ir::AxisPosition> place_of_array(const ir::Node& node, std::int64_t n,
                                                             const ir::AxisPosition& box);

/// The node made of what is held of its operands, and its result set; false where other ways cost less.
[[nodiscard]] bool make_moving_box(ir::Node& node, const MeshCut& cut, const AxisPlan& plan,
                                   HeldValues& held, Halos& halos, ir::Graph& into);

}  // namespace partita::passes
