// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that go along a dimension in order, of arrays that are cut along it: sorts, sums of all elements before, the
// largest elements.  Each shard goes along its own part; what the parts need of one another then travels, not the whole.
#pragma once

#include "passes/transforms/partition/held_values.hpp"

namespace partita::passes {

/// The dimension along which parts of the node's operands make the same parts of its results; nothing of other nodes.
[[nodiscard]] std::optional<int> ordered_dim(const ir::Node& node);

/// The node made of what is held of its operands, and its results set; false where other ways cost less.
[[nodiscard]] bool make_ordered(ir::Node& node, const MeshCut& cut, const AxisPlan& plan,
                                HeldValues& held, ir::Graph& into);

}  // namespace partita::passes
