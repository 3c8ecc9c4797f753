// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Map, reduce and broadcast over placements.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_mr_all_reduce(OpRegistry& registry);
void register_mr_broadcast(OpRegistry& registry);
void register_mr_check(OpRegistry& registry);
void register_mr_foreach(OpRegistry& registry);
void register_mr_forms(OpRegistry& registry);
void register_mr_grad(OpRegistry& registry);
void register_mr_map(OpRegistry& registry);
void register_mr_partition_index(OpRegistry& registry);
void register_mr_reduce(OpRegistry& registry);

void register_placements(OpRegistry& registry) {
  register_mr_all_reduce(registry);
  register_mr_broadcast(registry);
  register_mr_check(registry);
  register_mr_foreach(registry);
  register_mr_forms(registry);
  register_mr_grad(registry);
  register_mr_map(registry);
  register_mr_partition_index(registry);
  register_mr_reduce(registry);
}

}  // namespace partita::ir::ops
