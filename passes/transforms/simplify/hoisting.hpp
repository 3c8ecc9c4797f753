// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Work that is the same in every iteration of a loop, done once before it.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::passes {

/// Whether a node only rearranges or repeats what is there, which users do as they read.
[[nodiscard]] bool is_free(const ir::Node& node);
/// Whether a node does enough for its result to be worth keeping for later users.
[[nodiscard]] bool is_worth_keeping(const ir::Node& node);

/// Moves work out of the regions of `while` in this graph and below, with what it needs; true when
/// something moved.
bool hoist_invariants(ir::Graph& graph);

}  // namespace partita::passes
