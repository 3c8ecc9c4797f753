// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/simplify/hoisting.hpp"
#include "partita/ir/effects.hpp"

#include <algorithm>
#include <unordered_set>

#include "partita/ir/op.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

std::int64_t elements(const std::vector<Value>& values) {
  std::int64_t n = 0;
  for (const Value& v : values) n += v.type().count();
  return n;
}

/// Nodes of a region whose inputs all come from outside of it, directly or through such nodes.
std::unordered_set<const Node*> invariant_nodes(const Graph& region) {
  std::unordered_set<const Node*> invariant;
  for (const Node* node : region.nodes()) {
    if (ir::has_effects(*node) || node->is("mr.partition_index")) continue;
    const auto is_invariant = [&](const Value& v) {
      return (v.node->graph() != &region) || invariant.contains(v.node);
    };
    if (std::ranges::all_of(ir::captures(*node), is_invariant)) invariant.insert(node);
  }
  return invariant;
}

/// Copies a node of the region and the invariant nodes it needs before `before`.
void copy_out(const Node& node, const Graph& region, Graph& into, Node* before,
              ir::ValueMap<Value>& map) {
  if (map.contains(Value{const_cast<Node*>(&node), 0})) return;
  for (const Value& v : ir::captures(node))
    if (v.node->graph() == &region) copy_out(*v.node, region, into, before, map);
  ir::clone_node(node, into, map, before);
}

bool hoist_from(Graph& region, Node& loop, ir::ValueMap<Value>& replaced) {
  const auto invariant = invariant_nodes(region);
  ir::ValueMap<Value> map;
  bool moved = false;
  for (Node* node : region.nodes()) {
    if (!invariant.contains(node) || !is_worth_keeping(*node)) continue;
    copy_out(*node, region, *loop.graph(), &loop, map);
    for (int k = 0; k < node->result_count(); ++k)
      replaced[node->result(k)] = map.at(node->result(k));
    moved = true;
  }
  return moved;
}

bool hoist(Graph& graph, ir::ValueMap<Value>& replaced) {
  bool moved = false;
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) moved |= hoist(*region, replaced);
    if (!node->is("stablehlo.while")) continue;
    for (const auto& region : node->regions()) moved |= hoist_from(*region, *node, replaced);
  }
  return moved;
}

}  // namespace

bool is_free(const Node& node) {
  using enum ir::Elements;
  const ir::Elements from = node.op().elements;
  // A view at an index that is computed is worth its index.
  return from == generated || from == passed || (from == viewed && node.operands().size() == 1) ||
         node.is("stablehlo.convert");
}

bool is_worth_keeping(const Node& node) {
  if (is_free(node) || node.operands().empty()) return false;
  if (!node.regions().empty() || node.is("stablehlo.dot_general")) return true;
  // Elementwise work on what a broadcast has just widened is cheaper to repeat than to read back.
  const auto is_widened = [](const Value& v) {
    return v.node->is("stablehlo.broadcast_in_dim") || v.node->is("stablehlo.constant") ||
           v.node->is("stablehlo.iota");
  };
  const std::int64_t made = node.result_types().empty() ? 0 : node.result_types()[0].count();
  return made == 1 ||
         (made <= elements(node.operands()) && !std::ranges::all_of(node.operands(), is_widened));
}

bool hoist_invariants(Graph& graph) {
  ir::ValueMap<Value> replaced;
  if (!hoist(graph, replaced)) return false;
  // What was copied out of an inner region may have been copied on from the outer one.
  for (auto& [from, to] : replaced)
    for (auto it = replaced.find(to); it != replaced.end(); it = replaced.find(to)) to = it->second;
  graph.replace_uses(replaced);
  ir::remove_dead_nodes(graph);
  return true;
}

}  // namespace partita::passes
