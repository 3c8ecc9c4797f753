// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/axis_regions.hpp"

#include "ir/axes/masked_loops.hpp"

namespace partita::ir {

bool is_control_flow(const Node& node) {
  return node.is("stablehlo.while") || node.is("stablehlo.case") || node.is("stablehlo.if");
}

RegionAxis::RegionAxis(const Node& node, std::int64_t n, KnownPosition captured)
    : node_(node),
      n_(n),
      captured_(std::move(captured)),
      slots_(std::size_t(node.result_count())) {}

std::optional<AxisPosition> RegionAxis::position(Value v) const {
  if (const auto found = positions_.find(v); found != positions_.end()) return found->second;
  return captured_ ? captured_(v) : std::nullopt;
}

/// Records a position; true when it is new.
bool RegionAxis::set(Value v, const std::optional<AxisPosition>& position) {
  if (!position) return false;
  const std::optional<AxisPosition> known = this->position(v);
  if (known && *known != *position && why_.empty())
    why_ = "the axis lies in two places of one value of its regions";
  return positions_.emplace(v, known.value_or(*position)).second && !known;
}

bool RegionAxis::unite(std::optional<AxisPosition>& slot, Value v) {
  if (const auto known = position(v)) {
    if (slot && *slot != *known && why_.empty())
      why_ = "the axis lies in two places of one value that it carries";
    const bool is_new = !slot;
    slot = known;
    return is_new;
  }
  return set(v, slot);
}

bool RegionAxis::unite_loop() {
  bool changed = false;
  for (std::size_t k = 0; k < slots_.size(); ++k)
    for (const Value v : {node_.region(0).argument(int(k)), node_.region(1).argument(int(k)),
                          node_.region(1).results[k]})
      changed |= unite(slots_[k], v);
  return changed;
}

bool RegionAxis::unite_branches() {
  bool changed = false;
  for (std::size_t k = 0; k < slots_.size(); ++k)
    for (const auto& region : node_.regions()) changed |= unite(slots_[k], region->results[k]);
  return changed;
}

std::optional<AxisFlow> RegionAxis::flow_of(const Node& inner) const {
  AxisPositions operands, results;
  bool is_known = false;
  for (const Value& v : inner.operands())
    is_known |= operands.emplace_back(position(v)).has_value();
  for (int k = 0; k < inner.result_count(); ++k)
    is_known |= results.emplace_back(position(Value{const_cast<Node*>(&inner), k})).has_value();
  if (!inner.regions().empty())
    for (const Value& v : captures(inner)) is_known |= position(v).has_value();
  if (!is_known) return std::nullopt;
  return flow_axis(inner, n_, operands, results, [this](Value v) { return position(v); });
}

/// Whether the loop goes on while this holds, which is true when it is for any index of the axis.
bool RegionAxis::is_any_index(const Node& inner, const AxisFlow& flow) const {
  return node_.is("stablehlo.while") && inner.is("stablehlo.reduce") &&
         flow.combiner == Combiner::logical_or && node_.region(0).results[0].node == &inner;
}

bool RegionAxis::visit(const Node& inner) {
  const std::optional<AxisFlow> flow = flow_of(inner);
  if (!flow) return false;
  if (!flow->why.empty()) {
    if (why_.empty()) {
      why_ = cat("in its region, ", inner.name(), ": ", flow->why);
      is_reduced_ = flow->is_reduced_inside;
    }
    return false;
  }
  if (flow->kind != FactorKind::parallel) {
    if (is_any_index(inner, *flow)) {
      any_index_ = inner.operand(0);
      return set(inner.operand(0), flow->operands[0]);
    }
    if (why_.empty()) {
      why_ = cat("in its region, ", inner.name(), " reduces it");
      is_reduced_ = flow->kind == FactorKind::reduced;
    }
    return false;
  }
  bool changed = false;
  for (std::size_t k = 0; k < flow->operands.size(); ++k)
    changed |= set(inner.operand(k), flow->operands[k]);
  for (std::size_t k = 0; k < flow->results.size(); ++k)
    changed |= set(Value{const_cast<Node*>(&inner), int(k)}, flow->results[k]);
  for (const Value& v : captures(inner))
    if (const auto found = flow->captures.find(v); found != flow->captures.end())
      changed |= set(v, found->second);
  return changed;
}

bool RegionAxis::sweep(const Graph& graph) {
  bool changed = false;
  for (const Node* inner : graph.nodes()) changed |= visit(*inner);
  for (auto inner = graph.nodes().rbegin(); inner != graph.nodes().rend(); ++inner)
    changed |= visit(**inner);
  return changed;
}

void RegionAxis::run(const AxisPositions& operands, const AxisPositions& results) {
  const bool is_loop = node_.is("stablehlo.while");
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    if (k < results.size()) slots_[k] = results[k];
    if (!is_loop || k >= operands.size() || !operands[k]) continue;
    if (slots_[k] && *slots_[k] != *operands[k])
      why_ = "the axis lies in two places of one value that it carries";
    slots_[k] = operands[k];
  }
  for (bool changed = true; changed && why_.empty();) {
    changed = is_loop ? unite_loop() : unite_branches();
    for (const auto& region : node_.regions()) changed |= sweep(*region);
  }
  const bool is_choice_placed = !is_loop && !operands.empty() && operands[0];
  if (why_.empty() && is_choice_placed) why_ = "its index differs along the axis";
  if (why_.empty() && is_loop && position(node_.region(0).results[0]))
    why_ = "its condition differs along the axis";
  if (why_.empty() && any_index_) why_ = why_not_masked(node_, any_index_);
}

AxisFlow RegionAxis::flow() const {
  AxisFlow flow;
  flow.why = why_;
  flow.is_reduced_inside = is_reduced_;
  const bool is_loop = node_.is("stablehlo.while");
  flow.operands.resize(node_.operands().size());
  if (is_loop) flow.operands = slots_;
  flow.results = slots_;
  for (const Value& v : captures(node_)) {
    const auto found = positions_.find(v);
    if (found != positions_.end())
      flow.captures.insert(*found);
    else if (const auto known = captured_ ? captured_(v) : std::nullopt)
      flow.captures.emplace(v, *known);
  }
  return flow;
}

}  // namespace partita::ir
