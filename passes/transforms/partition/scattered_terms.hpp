// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatters whose updates an axis of a mesh cuts along their index vectors, as gradients of a table by the tokens of each
// shard: each shard scatters its own, and the results combine over the shards.
#pragma once

#include "passes/transforms/partition/held_values.hpp"

namespace partita::passes {

/// Sets the node's result as terms, made of what is held of its operands; false where it is no such scatter, or where moving
/// the updates costs less.
[[nodiscard]] bool make_scattered_terms(ir::Node& node, const MeshCut& cut, const AxisPlan& plan,
                                        HeldValues& held, ir::Graph& into);

}  // namespace partita::passes
