// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/cost.hpp"

#include <algorithm>
#include <cmath>

#include "ir/core/contraction.hpp"
#include "ir/core/trip_count.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sorting.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir {

namespace {

/// What an element of a function costs that is no arithmetic, by the table of elementwise ops.
constexpr double transcendental_cost = 12;

double result_elements(const Node& node) {
  double elements = 0;
  for (const Type& type : node.result_types()) elements += double(type.count());
  return elements;
}

double bytes_of(const std::vector<Type>& types) {
  double bytes = 0;
  for (const Type& type : types) bytes += double(type.bytes());
  return bytes;
}

void add(Cost& to, const Cost& cost, double times) {
  to.flops += times * cost.flops;
  to.transcendentals += times * cost.transcendentals;
  to.bytes += times * cost.bytes;
}

Cost cost_of(const Graph& graph);

/// How often the body of a map runs: its results are those of all partitions.
double partitions_of(const Node& map) {
  const std::vector<Value>& results = map.region(0).results;
  for (std::size_t k = 0; k < results.size(); ++k)
    if (const std::int64_t one = results[k].type().count(); one > 0)
      return double(map.result_types()[k].count()) / double(one);
  return 1;
}

/// Of regions that run as programs do.
Cost cost_of_regions(const Node& node) {
  Cost cost;
  if (node.is("stablehlo.while")) {
    const double trips = double(trip_count(node).value_or(1));
    for (const auto& region : node.regions()) add(cost, cost_of(*region), trips);
  } else if (node.is("stablehlo.case") || node.is("stablehlo.if")) {
    for (const auto& region : node.regions())
      if (const Cost branch = cost_of(*region); branch.flops >= cost.flops) cost = branch;
  } else if (node.is("mr.map")) {
    add(cost, cost_of(node.region(0)), partitions_of(node));
  } else if (node.op().regions_capture) {
    for (const auto& region : node.regions()) add(cost, cost_of(*region), 1);
  }
  return cost;
}

bool has_regions_that_run(const Node& node) {
  return node.op().regions_capture || node.is("mr.map");
}

Cost cost_of(const Node& node) {
  if (has_regions_that_run(node)) return cost_of_regions(node);
  Cost cost;
  switch (node.op().elements) {
    case Elements::generated:
    case Elements::passed:
    case Elements::viewed:
      return cost;
    case Elements::elementwise:
      if (node.op().element_cost() >= transcendental_cost)
        cost.transcendentals = result_elements(node);
      else
        cost.flops = result_elements(node);
      return cost;
    case Elements::computed:
      cost.flops = node_operations(node);
      break;
    case Elements::gathered:
    case Elements::joined:
      break;
  }
  cost.bytes = 2 * bytes_of(node.result_types());
  return cost;
}

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node* node : graph.nodes()) add(cost, cost_of(*node), 1);
  return cost;
}

}  // namespace

double node_operations(const Node& node) {
  const double elements = result_elements(node);
  if (node.is("stablehlo.dot_general")) return elements * 2 * double(contraction_shape(node).k);
  if (node.is("stablehlo.convolution")) {
    const Convolution conv(node.operand(0).type(), node.operand(1).type(), node.attrs);
    return elements * 2 * double(element_count(conv.window) * conv.input);
  }
  double most = elements;
  for (const Value& v : node.operands()) most = std::max(most, double(v.type().count()));
  if (node.is("stablehlo.sort"))
    return most * 4 *
           std::log2(double(node.operand(0).type().dims[std::size_t(sort_dimension(node))]) + 1);
  return most * std::max(1.0, node.op().element_cost());
}

Cost cost_of(const Function& function) {
  Cost cost = cost_of(*function.body);
  cost.bytes += bytes_of(function.argument_types()) + bytes_of(function.result_types);
  return cost;
}

}  // namespace partita::ir
