// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which results of a node depend differentiably on active values: all that have tangents, except
// that rows say by operand where the derivative is zero, mr.stop_gradient that it is, and that regions
// are looked into.
#include <algorithm>
#include <unordered_set>

#include "ir/autodiff/row_derivative.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

using IsActive = std::function<bool(Value)>;

/// Results of a region when values outside of it and some of its arguments are active.
std::vector<bool> region_results(const Graph& region, const std::vector<bool>& arguments,
                                 const IsActive& outside) {
  std::unordered_set<Value, ValueHash> active;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k]) active.insert(region.argument(int(k)));
  const IsActive is_active = [&](Value v) { return active.contains(v) || outside(v); };
  for (Node* node : region.nodes()) {
    const std::vector<bool> results = active_results(*node, is_active);
    for (std::size_t k = 0; k < results.size(); ++k)
      if (results[k]) active.insert(node->result(int(k)));
  }
  std::vector<bool> out;
  for (const Value& v : region.results) out.push_back(is_active(v));
  return out;
}

std::vector<bool> active_operands(const Node& node, const IsActive& is_active) {
  std::vector<bool> active;
  for (const Value& v : node.operands()) active.push_back(has_tangent(v.type()) && is_active(v));
  return active;
}

void unite(std::vector<bool>& into, const std::vector<bool>& other) {
  for (std::size_t k = 0; k < into.size(); ++k) into[k] = into[k] || other[k];
}

}  // namespace

std::vector<bool> active_results(const Node& node, const IsActive& is_active) {
  const std::size_t count = node.result_types().size();
  if (node.is("stablehlo.case") || node.is("stablehlo.if")) {
    std::vector<bool> active(count, false);
    for (const auto& region : node.regions()) unite(active, region_results(*region, {}, is_active));
    return active;
  }
  std::vector<bool> operands = active_operands(node, is_active);
  if (node.is("stablehlo.while")) {
    for (std::vector<bool> before; before != operands;) {
      before = operands;
      unite(operands, region_results(node.region(1), operands, is_active));
    }
    return operands;
  }
  if (node.is("mr.stop_gradient")) return std::vector<bool>(count, false);
  if (node.is("mr.map") || (node.is("mr.checkpoint") && !node.regions().empty()))
    return region_results(node.region(0), operands, is_active);
  bool any = false;
  for (std::size_t k = 0; k < operands.size(); ++k)
    any = any || (operands[k] && !row_is_flat(node, k));
  std::vector<bool> active;
  for (const Type& type : node.result_types()) active.push_back(any && has_tangent(type));
  return active;
}

}  // namespace partita::ir
