// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that go along a dimension in order, of arrays that are cut along it: sorts, scans, reverses, the largest
// elements.  Each shard goes along its own part; what the parts need of one another then travels, not the whole.
#pragma once

#include "passes/transforms/partition/held_values.hpp"

namespace partita::passes {

/// Whether parts of the node's operands along the dimension make the same parts of its results, by a rule of its own.
[[nodiscard]] bool goes_along(const ir::Node& node, int dim);

/// The node made of what is held of its operands, and its results set; false where other ways cost less.
[[nodiscard]] bool make_ordered(ir::Node& node, const MeshCut& cut, const AxisPlan& plan,
                                HeldValues& held, ir::Graph& into);

}  // namespace partita::passes
