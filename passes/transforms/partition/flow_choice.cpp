// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/flow_choice.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/ir/cost.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "passes/transforms/partition/sorted_parts.hpp"

namespace partita::passes {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::FactorKind;
using ir::Node;
using ir::Value;

using At = std::optional<AxisPosition>;

namespace {

/// Simple operations that take as long as sending a byte.
constexpr double operations_per_byte = 8;

class Costs {
 public:
  Costs(const Node& node, const MeshCut& cut, const AxisPlan& plan, const HeldValues& held)
      : node_(node), cut_(cut), plan_(plan), held_(held) {}

  [[nodiscard]] double of(const AxisFlow& flow) const {
    double bytes = 0;
    for (std::size_t k = 0; k < node_.operands().size(); ++k)
      bytes += operand_bytes(node_.operand(k), flow.operands[k]);
    for (std::size_t k = 0; k < node_.result_types().size(); ++k)
      bytes += result_bytes(int(k), flow);
    return bytes + node_work(node_) / (ir::is_touched(flow) ? double(cut_.size()) : 1.0);
  }

 private:
  static double size(Value v) { return double(v.type().bytes()); }

  [[nodiscard]] double operand_bytes(Value v, const At& wanted) const {
    const double n = double(cut_.size());
    if (held_.partial(v)) return (wanted ? 1 : 2) * size(v);
    const At at = held_.position(v);
    if (at == wanted || !at) return 0;
    return wanted ? 2 * size(v) / n : size(v);
  }

  [[nodiscard]] double result_bytes(int k, const AxisFlow& flow) const {
    const Value v{const_cast<Node*>(&node_), k};
    const At wanted = plan_.position(v), &made = flow.results[std::size_t(k)];
    if (flow.kind == FactorKind::reduced) return (wanted ? 1 : 2) * size(v);
    if (made == wanted || !made) return 0;
    return wanted ? 2 * size(v) / double(cut_.size()) : size(v);
  }

  const Node& node_;
  const MeshCut& cut_;
  const AxisPlan& plan_;
  const HeldValues& held_;
};

AxisFlow untouched(const Node& node) {
  AxisFlow flow;
  flow.operands.resize(node.operands().size());
  flow.results.resize(std::size_t(node.result_count()));
  return flow;
}

bool cuts_unevenly(const Node& node, const AxisFlow& flow, std::int64_t n) {
  for (std::size_t k = 0; k < flow.operands.size(); ++k)
    if (const At& at = flow.operands[k];
        at && is_ragged(*at, n, node.operand(k).type().dims[std::size_t(at->dim)]))
      return true;
  return false;
}

/// Dimensions of which every shard gets elements.
std::vector<AxisPosition> other_dimensions(const Type& type, std::int64_t n) {
  std::vector<AxisPosition> all;
  for (std::size_t d = 0; d < type.dims.size(); ++d)
    if (type.dims[d] >= n)
      all.push_back({.dim = int(d), .outer = 1, .inner = (type.dims[d] + n - 1) / n});
  return all;
}

/// Whether results of parts combine to those of the whole.
bool combines(const Node& node, const AxisFlow& flow, std::int64_t n) {
  if (flow.kind == FactorKind::parallel) return true;
  if (flow.kind != FactorKind::reduced) return false;
  if (has_mesh_combiner(node, flow)) return ir::starts_from_identity(node, *flow.combiner);
  return reduces_again(node, flow) && !cuts_unevenly(node, flow, n);
}

}  // namespace

double node_work(const Node& node) { return ir::node_operations(node) / operations_per_byte; }

double flow_cost(const Node& node, const AxisFlow& flow, const MeshCut& cut, const AxisPlan& plan,
                 const HeldValues& held) {
  return Costs(node, cut, plan, held).of(flow);
}

bool has_mesh_combiner(const Node& node, const AxisFlow& flow) {
  return flow.combiner && std::ranges::all_of(node.result_types(), [&](const Type& type) {
           return ir::is_combined_over_partitions(*flow.combiner, type.dtype);
         });
}

bool reduces_again(const Node& node, const AxisFlow& flow) {
  return flow.kind == FactorKind::reduced && node.is("stablehlo.reduce") &&
         !has_mesh_combiner(node, flow);
}

AxisFlow choose_flow(const Node& node, const MeshCut& cut, const AxisPlan& plan,
                     const HeldValues& held) {
  AxisFlow best = untouched(node);
  const std::size_t operands = node.operands().size();
  const auto results = std::size_t(node.result_count());
  const Costs costs(node, cut, plan, held);
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const AxisFlow& flow) {
    const double cost = costs.of(flow);
    if (cost >= least) return;
    least = cost;
    best = flow;
  };
  const auto consider_known = [&](std::size_t k, bool is_operand, const At& at) {
    if (!at) return;
    const AxisFlow flow = flow_by(node, cut.size(), k, is_operand, *at);
    if (flow.why.empty() && combines(node, flow, cut.size())) consider(flow);
  };
  // First as planned: what operands become for it, others of their users find there.
  for (std::size_t k = 0; k < results; ++k)
    consider_known(k, false, plan.position(Value{const_cast<Node*>(&node), int(k)}));
  for (std::size_t k = 0; k < operands; ++k) {
    const Value v = node.operand(k);
    consider_known(k, true, held.position(v) ? held.position(v) : plan.position(v));
  }
  // Nowhere along a dimension of the node as it lies: along another one, to which its operands go.  Not what a loop reads
  // from outside: that is gathered once before it, where parts of results would travel in each iteration.
  if (least == std::numeric_limits<double>::infinity())
    for (std::size_t k = 0; k < operands; ++k)
      if (held.position(node.operand(k)) && node.operand(k).node->graph() == node.graph())
        for (const AxisPosition& at : other_dimensions(node.operand(k).type(), cut.size()))
          consider_known(k, true, at);
  consider(untouched(node));
  return best;
}

std::optional<Combiner> partial_through(
    const Node& node, const std::function<std::optional<Combiner>(Value)>& partial) {
  const auto is_sum = [&](std::size_t k) { return partial(node.operand(k)) == Combiner::sum; };
  if (node.is("stablehlo.add") || node.is("stablehlo.subtract"))
    return is_sum(0) && is_sum(1) ? std::optional(Combiner::sum) : std::nullopt;
  const bool moves = node.is("stablehlo.transpose") || node.is("stablehlo.reshape");
  if (moves) return partial(node.operand(0));
  const bool is_linear = node.is("stablehlo.negate") || node.is("stablehlo.slice") ||
                         node.is("mr.reduce_sum") ||
                         (node.is("stablehlo.reduce") && node.operands().size() == 2 &&
                          ir::simple_combiner(node.region(0)) == Combiner::sum &&
                          ir::starts_from_identity(node, Combiner::sum));
  if (is_linear) return is_sum(0) ? std::optional(Combiner::sum) : std::nullopt;
  return std::nullopt;
}

}  // namespace partita::passes
