// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/sorted_prefix.hpp"

#include "partita/ir/maker.hpp"

namespace partita::passes::transforms {

using ir::Graph;
using ir::Node;
using ir::Value;

std::vector<Value> sorted_prefix(Node& node, const std::vector<Value>& inputs,
                                 std::unique_ptr<Graph> comparator, std::size_t dimension) {
  Graph& graph = *node.graph();
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(comparator));
  Node* sort = ir::create(graph, "stablehlo.sort", inputs,
                          {{"dimension", std::int64_t(dimension)}, {"is_stable", true}},
                          std::move(regions), {}, &node, node.location());
  const ir::Maker make{graph, &node, node.location()};
  std::vector<Value> results;
  for (int k = 0; k < sort->result_count(); ++k)
    results.push_back(make.part(sort->result(k), std::int64_t(dimension), 0,
                                node.result_types()[std::size_t(k)].dims[dimension]));
  return results;
}

}  // namespace partita::passes::transforms
