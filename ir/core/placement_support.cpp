// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/core/placement_support.hpp"

#include <algorithm>
#include <set>

namespace partita::ir {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

Type partition_type(const Type& placed) {
  Type t = placed;
  t.dims.erase(t.dims.begin());
  return t;
}

std::vector<Value> build_map(Graph& graph, Node* before, const std::string& placement,
                             const std::vector<Value>& operands, const MapBody& body) {
  auto region = std::make_unique<Graph>();
  std::vector<Value> arguments;
  for (const Value& v : operands)
    arguments.push_back(region->add_argument(partition_type(v.type())));
  region->results = body(*region, arguments);
  const ir::Dict attrs{{"placement", placement},
                       {"in_axes", I64s(operands.size(), 0)},
                       {"out_axes", I64s(region->results.size(), 0)}};
  std::vector<Type> types;
  const std::int64_t n = operands.at(0).type().dims.at(0);
  for (const Value& v : region->results) {
    types.push_back(v.type());
    types.back().dims.insert(types.back().dims.begin(), n);
  }
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* node = ir::create(graph, "mr.map", operands, attrs, std::move(regions), types, before);
  std::vector<Value> results;
  for (int k = 0; k < node->result_count(); ++k) results.push_back(node->result(k));
  return results;
}

std::vector<Value> passed_by_barrier(const Node& node) {
  const auto is_barrier = [](const Node& n) { return n.is("stablehlo.optimization_barrier"); };
  const std::vector<Value>& operands = node.operands();
  if (is_barrier(node)) {
    const bool is_behind_maps =
        std::ranges::any_of(operands, [](const Value& v) { return v.node->is("mr.map"); });
    return is_behind_maps ? operands : std::vector<Value>();
  }
  if (!node.is("mr.map") || node.region(0).nodes().empty()) return {};
  const Graph& body = node.region(0);
  const auto has_axis_0 = [&](const char* axes) {
    return std::ranges::all_of(node.attrs.i64s_or_empty(axes), [](auto a) { return a == 0; });
  };
  const auto& nodes = body.nodes();
  if (!std::ranges::all_of(nodes, [&](const Node* n) { return is_barrier(*n); }) ||
      !has_axis_0("in_axes") || !has_axis_0("out_axes"))
    return {};
  std::vector<Value> passed;
  for (Value v : body.results) {
    while (is_barrier(*v.node)) v = v.node->operand(std::size_t(v.index));
    if (!body.is_argument(v)) return {};
    passed.push_back(operands[std::size_t(v.index)]);
  }
  return passed;
}

bool is_reduction(const Node& node) { return node.name().starts_with("mr.reduce_"); }

std::int64_t declared_size(const ir::Module& module, const std::string& placement) {
  const auto size = module.placement_size(placement);
  if (!size) throw_internal_error(cat("placement '", placement, "' has no size"));
  return *size;
}

std::vector<Value> region_captures(const Node& node) {
  std::vector<Value> all;
  std::set<Value> seen;
  const auto add = [&](const Value& v) {
    for (const Graph* g = v.node->graph(); g != nullptr;
         g = g->owner() == nullptr ? nullptr : g->owner()->graph())
      if (g->owner() == &node) return;
    if (seen.insert(v).second) all.push_back(v);
  };
  for (const auto& region : node.regions()) {
    ir::walk(*region, [&](Node& inner) {
      for (const Value& v : inner.operands()) add(v);
      for (const auto& r : inner.regions())
        for (const Value& v : r->results) add(v);
    });
    for (const Value& v : region->results) add(v);
  }
  return all;
}

}  // namespace partita::ir
