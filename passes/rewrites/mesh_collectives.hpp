// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// StableHLO's collectives and ids as those of the shards of a mesh.
#pragma once

#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// Whether a node is such a collective, or asks for the number of its process.
[[nodiscard]] bool is_process_op(const ir::Node& node);
/// Why a node has no form over a mesh; empty where it has.
[[nodiscard]] std::string why_not_over_mesh(const ir::Node& node, const ir::Mesh& mesh);
/// Puts that form in its place, in graphs of regions too.  Processes are the devices of the mesh, by number.
void use_mesh_collectives(ir::Graph& graph, const ir::Mesh& mesh);

}  // namespace partita::passes
