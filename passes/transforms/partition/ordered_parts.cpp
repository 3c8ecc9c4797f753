// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/ordered_parts.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "partita/ir/op.hpp"
#include "passes/transforms/partition/flow_choice.hpp"
#include "passes/transforms/partition/reversed_parts.hpp"
#include "passes/transforms/partition/scanned_parts.hpp"
#include "passes/transforms/partition/sorted_parts.hpp"
#include "passes/transforms/partition/top_parts.hpp"

namespace partita::passes {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::Node;
using ir::Value;

using At = std::optional<AxisPosition>;

namespace {

/// How an op is made of parts.
struct Rule {
  std::string_view op;
  bool (*is_along)(const Node&, int dim);
  PartsCost (*cost)(const Node&, const AxisPosition&, const MeshCut&);
  std::vector<Value> (*make)(const Node&, const AxisPosition&, const MeshCut&,
                             std::span<const Value>, ir::Graph&);
  bool gives_wholes;  ///< rather than parts along the same dimension
};
constexpr Rule rules[] = {
    {"stablehlo.sort", is_sorted_along, sorted_parts_cost, sorted_parts, false},
    {"stablehlo.reduce_window", is_scanned_along, scanned_parts_cost, scanned_parts, false},
    {"stablehlo.reverse", is_reversed_along, reversed_parts_cost, reversed_parts, false},
    {"chlo.top_k", is_top_along, top_parts_cost, top_parts, true}};

const Rule* rule_of(const Node& node) {
  const auto found = std::ranges::find(rules, node.op().name, &Rule::op);
  return found == std::end(rules) ? nullptr : &*found;
}

/// Where the operands are cut along the dimension in order.
At cut_along_dim(const Node& node, const Rule& rule, const MeshCut& cut, const AxisPlan& plan,
                 const HeldValues& held) {
  for (const Value& v : node.operands()) {
    const At at = held.position(v) ? held.position(v) : plan.position(v);
    if (at && cuts_in_order(*at, cut.size(), v.type().dims[std::size_t(at->dim)]) &&
        rule.is_along(node, at->dim))
      return at;
  }
  return std::nullopt;
}

/// Of the node with its operands at a place: all of them, or of a scan the first.
AxisFlow flow_at(const Node& node, const At& at, const At& results) {
  AxisFlow flow;
  for (const Value& v : node.operands())
    flow.operands.push_back(v.type().rank() > 0 ? at : std::nullopt);
  flow.results.assign(std::size_t(node.result_count()), results);
  return flow;
}

/// Arrays that have to be moved for a flow.
double moves(const Node& node, const AxisFlow& flow, const HeldValues& held) {
  double count = 0;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const At at = held.position(node.operand(k));
    count += at && at != flow.operands[k];
  }
  return count;
}

/// What a shard holds whole for a flow though it is cut: the memory for which arrays are cut counts as bytes that travel.
double held_whole(const Node& node, const AxisFlow& flow, const AxisPlan& plan,
                  const HeldValues& held) {
  double bytes = 0;
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    if (const Value v = node.operand(k); held.position(v) && !flow.operands[k])
      bytes += double(v.type().bytes());
  for (int k = 0; k < node.result_count(); ++k)
    if (const Value v{const_cast<Node*>(&node), k};
        plan.position(v) && !flow.results[std::size_t(k)])
      bytes += double(v.type().bytes());
  return bytes;
}

}  // namespace

bool goes_along(const Node& node, int dim) {
  const Rule* const rule = rule_of(node);
  return rule != nullptr && !rule->gives_wholes && rule->is_along(node, dim);
}

bool make_ordered(Node& node, const MeshCut& cut, const AxisPlan& plan, HeldValues& held,
                  ir::Graph& into) {
  const Rule* const rule = rule_of(node);
  const At at = rule == nullptr ? At{} : cut_along_dim(node, *rule, cut, plan, held);
  if (!at) return false;
  const At made = rule->gives_wholes ? At{} : at;
  const AxisFlow flow = flow_at(node, at, made), other = choose_flow(node, cut, plan, held);
  const auto cost = [&](const AxisFlow& f) {
    return flow_cost(node, f, cut, plan, held) + held_whole(node, f, plan, held) +
           moves(node, f, held) * cut.call_bytes;
  };
  const PartsCost own = rule->cost(node, *at, cut);
  if (cost(flow) + own.bytes + own.calls * cut.call_bytes >= cost(other)) return false;
  std::vector<Value> operands;
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    operands.push_back(held.get(node.operand(k), flow.operands[k]));
  const std::vector<Value> results = rule->make(node, *at, cut, operands, into);
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k].node->hint = node.hint;
    held.set(node.result(int(k)), into, results[k], made);
  }
  return true;
}

}  // namespace partita::passes
