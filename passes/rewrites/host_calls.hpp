// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Calls of functions of the host application (partita/ir/host_call.hpp) in programs that are cut over a mesh.
#pragma once

#include "partita/ir/graph.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::passes {

/// Gives all shards the results of calls that are made once: those of the shard that calls, to which zeros are added.
void share_results_of_host_calls(ir::Graph& graph, const ir::Mesh& mesh);

}  // namespace partita::passes
