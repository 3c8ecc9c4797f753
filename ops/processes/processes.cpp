// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives and shardings of SPMD programs, and calls of the process that runs them.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_collectives(OpRegistry& registry);
void register_collective_permute(OpRegistry& registry);
void register_host_call(OpRegistry& registry);
void register_manual_computation(OpRegistry& registry);
void register_mesh_collectives(OpRegistry& registry);
void register_mesh_pieces(OpRegistry& registry);
void register_sdy(OpRegistry& registry);
void register_sharding_calls(OpRegistry& registry);

void register_processes(OpRegistry& registry) {
  register_collectives(registry);
  register_collective_permute(registry);
  register_host_call(registry);
  register_manual_computation(registry);
  register_mesh_collectives(registry);
  register_mesh_pieces(registry);
  register_sdy(registry);
  register_sharding_calls(registry);
}

}  // namespace partita::ir::ops
