// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/rewrites/reduction_operands.hpp"

#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {

using ir::I64s;
using ir::Node;
using ir::Value;

namespace {

std::vector<Value> separated(Node& node) {
  const ReductionOperands all = reduction_operands(node);
  const ir::Maker make{*node.graph(), &node};
  std::vector<Value> results;
  for (std::size_t k = 0; k < all.values.size(); ++k) {
    std::vector<Value> operands{all.values[k]};
    if (all.weight) operands.push_back(*all.weight);
    if (all.mask) operands.push_back(*all.mask);
    if (!all.kept.empty()) operands.push_back(all.kept[k]);
    ir::Dict attrs = node.attrs;
    attrs.set("operand_segments",
              I64s{1, std::int64_t(all.weight.has_value()), std::int64_t(all.mask.has_value()),
                   std::int64_t(!all.kept.empty())});
    results.push_back(make.op(node.name(), operands, std::move(attrs)));
  }
  return results;
}

}  // namespace

ReductionOperands reduction_operands(const Node& reduction) {
  I64s segments = reduction.attrs.i64s_or_empty("operand_segments");
  const auto count = std::int64_t(reduction.operands().size());
  if (segments.empty())
    segments =
        reduction.is("mr.reduce_weighted_mean") ? I64s{count - 1, 1, 0, 0} : I64s{count, 0, 0, 0};
  std::size_t at = 0;
  const auto take = [&](std::size_t s) {
    std::vector<Value> group;
    for (std::int64_t i = 0; s < segments.size() && i < segments[s]; ++i)
      group.push_back(reduction.operand(at++));
    return group;
  };
  const auto first = [](const std::vector<Value>& group) {
    return group.empty() ? std::nullopt : std::optional(group[0]);
  };
  ReductionOperands found;
  found.values = take(0);
  found.weight = first(take(1));
  found.mask = first(take(2));
  found.kept = take(3);
  return found;
}

void separate_reductions(ir::Graph& graph) {
  std::vector<Node*> found;
  ir::walk(graph, [&](Node& node) {
    if (node.name().starts_with("mr.reduce_") && node.result_count() > 1) found.push_back(&node);
  });
  if (found.empty()) return;
  ir::ValueMap<Value> replaced;
  for (Node* node : found) {
    const std::vector<Value> results = separated(*node);
    for (std::size_t k = 0; k < results.size(); ++k) replaced[node->result(int(k))] = results[k];
  }
  graph.replace_uses(replaced);
  ir::remove_dead_nodes(graph);
}

}  // namespace partita::passes
