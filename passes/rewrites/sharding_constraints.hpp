// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::passes {

/// Whether the node says how its operand shall lie over a mesh, and gives it unchanged: sdy.sharding_constraint,
/// sdy.reshard.
[[nodiscard]] bool is_sharding_constraint(const ir::Node& node);

/// Uses of what constraints give, in regions too, become those of what they constrain.
void remove_sharding_constraints(ir::Graph& graph);

}  // namespace partita::passes
