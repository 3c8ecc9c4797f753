// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/captured_constants.hpp"

#include <unordered_set>

namespace partita::ir {

namespace {

void collect_graphs(const Graph& graph, std::unordered_set<const Graph*>& all) {
  all.insert(&graph);
  for (const Node* node : graph.nodes())
    for (const auto& region : node->regions()) collect_graphs(*region, all);
}

}  // namespace

void copy_captured_constants(Graph& region) {
  std::unordered_set<const Graph*> inside;
  collect_graphs(region, inside);
  std::vector<Value> captured;
  const auto note = [&](const Value& v) {
    if (v.node->is("stablehlo.constant") && !inside.contains(v.node->graph()))
      captured.push_back(v);
  };
  walk(region, [&](Node& node) {
    for (const Value& v : node.operands()) note(v);
    for (const auto& below : node.regions())
      for (const Value& v : below->results) note(v);
  });
  for (const Value& v : region.results) note(v);
  if (captured.empty()) return;
  ValueMap<Value> copies;
  Node* const first = region.nodes().empty() ? nullptr : region.nodes().front();
  for (const Value& v : captured)
    if (!copies.contains(v)) clone_node(*v.node, region, copies, first);
  region.replace_uses(copies);
}

}  // namespace partita::ir
