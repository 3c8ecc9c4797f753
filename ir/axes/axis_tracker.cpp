// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/axis_tracker.hpp"

#include <algorithm>

#include "ir/core/placement_support.hpp"

namespace partita::ir {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::AxisPositions;
using ir::FactorKind;
using ir::Node;
using ir::Value;

bool is_axis_boundary(const Node& node) {
  return node.name().starts_with("mr.") || node.is("stablehlo.composite");
}

void AxisTracker::seed(Value v, AxisPosition position) { set(v, position); }

bool AxisTracker::set(Value v, const AxisPosition& position) {
  return positions_.emplace(v, position).second;
}

std::optional<AxisPosition> AxisTracker::position(Value v) const {
  const auto it = positions_.find(v);
  return it == positions_.end() ? std::nullopt : std::optional(it->second);
}

const AxisFlow* AxisTracker::flow(const Node* node) const {
  const auto it = flows_.find(node);
  return it == flows_.end() ? nullptr : &it->second;
}

std::vector<AxisStop> AxisTracker::stops() const {
  std::vector<AxisStop> all;
  for (const Node* node : graph_.nodes())
    if (const auto it = stopped_.find(node); it != stopped_.end()) all.push_back(it->second);
  return all;
}

std::int64_t AxisTracker::parallel_nodes() const {
  std::int64_t n = 0;
  for (const auto& [node, flow] : flows_) {
    n += flow.kind == FactorKind::parallel;
    for (const auto& region : node->regions()) ir::walk(*region, [&](Node&) { ++n; });
  }
  return n;
}

bool AxisTracker::is_reduced() const {
  return std::ranges::any_of(flows_, [](const auto& entry) {
    return entry.second.kind == FactorKind::reduced && entry.first->is("stablehlo.reduce");
  });
}

/// Follows the axis through one node; true when something became known.
bool AxisTracker::visit(Node& node) {
  if (is_axis_boundary(node) || stopped_.contains(&node)) return false;
  AxisPositions operands, results;
  bool is_known = false;
  for (const Value& v : node.operands()) {
    operands.push_back(position(v));
    is_known |= operands.back().has_value();
  }
  for (int k = 0; k < node.result_count(); ++k) {
    results.push_back(position(node.result(k)));
    is_known |= results.back().has_value();
  }
  const std::vector<Value> captured =
      node.op().regions_capture ? ir::captures(node) : std::vector<Value>{};
  for (const Value& v : captured) is_known |= position(v).has_value();
  if (!is_known) return false;
  AxisFlow flow =
      ir::flow_axis(node, size_, operands, results, [this](Value v) { return position(v); });
  if (flow.why.empty() && flow.kind == FactorKind::replicated) flow.why = "it needs the whole axis";
  for (std::size_t k = 0; flow.why.empty() && k < operands.size(); ++k)
    if (operands[k] != flow.operands[k] && operands[k])
      flow.why = cat("operand ", k, " has the axis in another place");
  for (std::size_t k = 0; flow.why.empty() && k < results.size(); ++k)
    if (results[k] != flow.results[k] && results[k])
      flow.why = cat("result ", k, " has the axis in another place");
  for (const Value& v : captured) {
    const auto it = flow.captures.find(v);
    const auto known = position(v);
    if (flow.why.empty() && known && (it == flow.captures.end() || !(it->second == *known)))
      flow.why = "a captured value has the axis in another place";
  }
  if (!flow.why.empty()) {
    flows_.erase(&node);
    stopped_[&node] = {&node, flow.why, flow.is_reduced_inside};
    return false;
  }
  bool changed = false;
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (flow.operands[k]) changed |= set(node.operand(k), *flow.operands[k]);
  for (std::size_t k = 0; k < results.size(); ++k)
    if (flow.results[k]) changed |= set(node.result(int(k)), *flow.results[k]);
  for (const Value& v : captured)
    if (const auto it = flow.captures.find(v); it != flow.captures.end())
      changed |= set(v, it->second);
  flows_[&node] = std::move(flow);
  return changed;
}

void AxisTracker::run() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Node* node : graph_.nodes()) changed |= visit(*node);
    for (auto it = graph_.nodes().rbegin(); it != graph_.nodes().rend(); ++it)
      changed |= visit(**it);
  }
}

}  // namespace partita::ir
