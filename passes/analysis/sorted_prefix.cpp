// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/sorted_prefix.hpp"

namespace partita::passes::transforms {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

namespace {

/// The first `kept` along a dimension.
Value first_of(Graph& graph, Value v, std::size_t dimension, std::int64_t kept, Node* before) {
  const Dims& dims = v.type().dims;
  I64s limits(dims.begin(), dims.end());
  limits[dimension] = kept;
  return ir::create_value(graph, "stablehlo.slice", {v},
                          {{"start_indices", I64s(dims.size(), 0)},
                           {"limit_indices", limits},
                           {"strides", I64s(dims.size(), 1)}},
                          {}, before);
}

}  // namespace

std::vector<Value> sorted_prefix(Node& node, const std::vector<Value>& inputs,
                                 std::unique_ptr<Graph> comparator, std::size_t dimension) {
  Graph& graph = *node.graph();
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(comparator));
  Node* sort = ir::create(graph, "stablehlo.sort", inputs,
                          {{"dimension", std::int64_t(dimension)}, {"is_stable", true}},
                          std::move(regions), {}, &node, node.location());
  std::vector<Value> results;
  for (int k = 0; k < sort->result_count(); ++k)
    results.push_back(first_of(graph, sort->result(k), dimension,
                               node.result_types()[std::size_t(k)].dims[dimension], &node));
  return results;
}

}  // namespace partita::passes::transforms
