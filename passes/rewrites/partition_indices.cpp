// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/rewrites/partition_indices.hpp"

#include <map>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

/// Indices of other placements that the body of a map asks for, by placement.
std::map<std::string, std::vector<Node*>> foreign_indices(const Node& map) {
  const std::string& own = map.attrs.text("placement");
  std::map<std::string, std::vector<Node*>> found;
  ir::walk(map.region(0), [&](Node& node) {
    if (!node.is("mr.partition_index")) return;
    for (const Graph* g = node.graph(); g != &map.region(0); g = g->owner()->graph())
      if (g->owner()->is("mr.map")) return;  // an inner map's own
    if (!node.attrs.contains("placement")) node.attrs.set("placement", own);
    const std::string& placement = node.attrs.text("placement");
    if (placement != own) found[placement].push_back(&node);
  });
  return found;
}

/// The map with one more operand for each index, made outside of it.
void pass_in(Graph& graph, Node& map, const std::map<std::string, std::vector<Node*>>& indices,
             std::int64_t n) {
  std::vector<Value> operands = map.operands();
  I64s in_axes =
      map.attrs.contains("in_axes") ? map.attrs.i64s("in_axes") : I64s(operands.size(), 0);
  const Type i32 = Type::scalar(DType::i32), placed{.dtype = DType::i32, .dims = {n}};
  for (const auto& [placement, nodes] : indices) {
    const Value outside = ir::create_value(graph, "mr.partition_index", {},
                                           {{"placement", placement}}, {&i32, 1}, &map);
    operands.push_back(ir::create_value(graph, "mr.broadcast", {outside},
                                        {{"placement", map.attrs.text("placement")}}, {&placed, 1},
                                        &map));
    in_axes.push_back(0);
    const Value inside = map.region(0).add_argument(i32);
    for (Node* node : nodes) {
      map.region(0).replace_uses(node->result(), inside);
      node->graph()->erase(node);
    }
  }
  ir::Dict attrs = map.attrs;
  attrs.set("in_axes", in_axes);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(ir::clone_graph(map.region(0)));
  Node* fresh = ir::create(graph, "mr.map", operands, attrs, std::move(regions), map.result_types(),
                           &map, map.location());
  ir::ValueMap<Value> replaced;
  for (int k = 0; k < map.result_count(); ++k) replaced[map.result(k)] = fresh->result(k);
  graph.replace_uses(replaced);
  graph.erase(&map);
}

}  // namespace

void localise_partition_indices(Graph& graph, const ir::Module& module) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) localise_partition_indices(*region, module);
    if (!node->is("mr.map")) continue;
    const auto indices = foreign_indices(*node);
    if (!indices.empty())
      pass_in(graph, *node, indices, ir::declared_size(module, node->attrs.text("placement")));
  }
}

}  // namespace partita::passes
