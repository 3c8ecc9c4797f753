// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/rewrites/sharding_constraints.hpp"

#include "partita/ir/op.hpp"

namespace partita::passes {

bool is_sharding_constraint(const ir::Node& node) {
  return node.is("sdy.sharding_constraint") || node.is("sdy.reshard");
}

void remove_sharding_constraints(ir::Graph& graph) {
  ir::ValueMap<ir::Value> replaced;
  ir::walk(graph, [&](ir::Node& node) {
    if (!is_sharding_constraint(node)) return;
    const auto earlier = replaced.find(node.operand(0));
    replaced[node.result()] = earlier == replaced.end() ? node.operand(0) : earlier->second;
  });
  if (replaced.empty()) return;
  graph.replace_uses(replaced);
  ir::remove_dead_nodes(graph);
}

}  // namespace partita::passes
