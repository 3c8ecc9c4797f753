// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/autodiff/unroll.hpp"

#include "ir/core/trip_count.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// Nodes that the copies of one loop may have together: beyond, compiling takes longer than stacks cost.
constexpr std::int64_t max_nodes = 4000;

struct Size {
  std::int64_t nodes = 0;
  bool has_placement = false;
};

Size size_of(const Graph& graph) {
  Size size;
  walk(graph, [&](const Node& node) {
    ++size.nodes;
    size.has_placement |= node.is("mr.map") || node.is("mr.broadcast");
  });
  return size;
}

/// The values after the last iteration.
std::vector<Value> unrolled(Node& loop, std::int64_t trips) {
  const Graph& body = loop.region(1);
  std::vector<Value> state = loop.operands();
  for (std::int64_t t = 0; t < trips; ++t) {
    ValueMap<Value> map;
    for (std::size_t k = 0; k < state.size(); ++k) map[body.argument(int(k))] = state[k];
    state = clone_body(body, *loop.graph(), map, &loop);
  }
  return state;
}

}  // namespace

void unroll_rounds(Graph& graph) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) unroll_rounds(*region);
    if (!node->is("stablehlo.while")) continue;
    const Size size = size_of(node->region(1));
    const auto trips = size.has_placement ? trip_count(*node) : std::nullopt;
    if (!trips || *trips > max_nodes / size.nodes) continue;
    const std::vector<Value> results = unrolled(*node, *trips);
    ValueMap<Value> map;
    for (std::size_t k = 0; k < results.size(); ++k) map[node->result(int(k))] = results[k];
    graph.replace_uses(map);
    graph.erase(node);
  }
}

}  // namespace partita::ir
