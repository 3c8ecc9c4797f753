// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/raise/outline.hpp"

#include <algorithm>
#include <set>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {
namespace {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::FactorKind;
using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

Value reshape_to(Graph& graph, Value v, const Dims& dims, Node* before) {
  if (v.type().dims == dims) return v;
  const Type type{.dtype = v.type().dtype, .dims = dims};
  return ir::create_value(graph, "stablehlo.reshape", {v}, {}, {&type, 1}, before);
}

Value transpose_by(Graph& graph, Value v, const I64s& permutation, Node* before) {
  for (std::size_t d = 0; d < permutation.size(); ++d)
    if (permutation[d] != std::int64_t(d))
      return ir::create_value(graph, "stablehlo.transpose", {v}, {{"permutation", permutation}}, {},
                              before);
  return v;
}

/// The value with the axis as its dimension 0.
Value axis_to_front(Graph& graph, Value v, const AxisPosition& p, std::int64_t n, Node* before) {
  const ir::SplitAxis s = ir::split_axis(v.type().dims, p, n);
  I64s permutation{s.axis};
  for (std::int64_t d = 0; d < std::int64_t(s.dims.size()); ++d)
    if (d != s.axis) permutation.push_back(d);
  const Value front =
      transpose_by(graph, reshape_to(graph, v, s.dims, before), permutation, before);
  Dims merged = ir::type_without(v.type(), p).dims;
  merged.insert(merged.begin(), n);
  return reshape_to(graph, front, merged, before);
}

/// The inverse: `placed` has the axis at 0; the result is of type `type` with the axis at p.
Value axis_from_front(Graph& graph, Value placed, const Type& type, const AxisPosition& p,
                      std::int64_t n, Node* before) {
  const ir::SplitAxis s = ir::split_axis(type.dims, p, n);
  Dims front{n};
  for (std::size_t d = 0; d < s.dims.size(); ++d)
    if (std::int64_t(d) != s.axis) front.push_back(s.dims[d]);
  I64s permutation;
  for (std::int64_t d = 0; d < std::int64_t(s.dims.size()); ++d)
    permutation.push_back(d == s.axis ? 0 : d < s.axis ? d + 1 : d);
  return reshape_to(
      graph, transpose_by(graph, reshape_to(graph, placed, front, before), permutation, before),
      type.dims, before);
}

/// The mr op that reduces as the flow does, or "".
std::string_view reduction_op(const AxisFlow& flow) {
  return flow.combiner ? info(*flow.combiner).reduction : "";
}

class Outliner {
 public:
  Outliner(Graph& graph, const ir::AxisTracker& tracker, const std::string& placement,
           std::int64_t size)
      : graph_(graph), tracker_(tracker), placement_(placement), size_(size) {}

  OutlineResult run() {
    choose_nodes();
    if (inside_.empty()) return result_;
    find_phases();
    std::map<int, std::vector<Node*>> groups;
    for (Node* node : order_)
      if (inside_.contains(node)) groups[phase_.at(node)].push_back(node);
    for (auto& [phase, nodes] : groups) make_map(nodes);
    graph_.replace_uses(replaced_);
    ir::remove_dead_nodes(graph_);
    for (const ir::AxisStop& stop : tracker_.stops()) {
      const int line = int(stop.node->location().line);
      std::string remark = cat("the axis of '", placement_, "' stops at ", stop.node->name(),
                               line > 0 ? cat(" (line ", line, ")") : "", ": ", stop.why);
      if (stop.is_reduced_inside)
        result_.reduced_inside.emplace_back(stop.node, std::move(remark));
      else
        result_.remarks.push_back(std::move(remark));
    }
    return result_;
  }

 private:
  /// Nodes to take in: those the axis passes, and those that reduce it with a known combiner.
  void choose_nodes() {
    for (Node* node : graph_.nodes()) {
      const AxisFlow* flow = tracker_.flow(node);
      if (flow == nullptr) continue;
      if (flow->kind == FactorKind::reduced && reduction_op(*flow).empty()) {
        result_.remarks.push_back(cat("the axis of '", placement_, "' stops at ", node->name(),
                                      ": it is combined by '",
                                      flow->combiner ? info(*flow->combiner).op : "", "'"));
        continue;
      }
      // Each partition applies the initial values of a reduce, so they must change nothing.
      if (flow->kind == FactorKind::reduced && !ir::starts_from_identity(*node, *flow->combiner)) {
        result_.remarks.push_back(cat("the axis of '", placement_, "' stops at ", node->name(),
                                      ": its initial value is no identity"));
        continue;
      }
      inside_.insert(node);
    }
  }

  bool is_reduced(const Node* node) const {
    return tracker_.flow(node)->kind == FactorKind::reduced;
  }

  /// A node's phase counts how often its inputs left the region on their way; nodes move so that
  /// those of one phase are together.
  void find_phases() {
    order_ = graph_.nodes();
    const auto leaves = [&](const Node* producer, const Node* user) {
      if (!inside_.contains(producer)) return false;
      return !inside_.contains(user) || is_reduced(producer);
    };
    for (Node* node : order_) {
      int phase = 0;
      std::vector<Value> inputs = node->operands();
      for (const Value& v : ir::captures(*node)) inputs.push_back(v);
      for (const Value& v : inputs) {
        const auto it = phase_.find(v.node);
        if (it != phase_.end())
          phase = std::max(phase, it->second + (leaves(v.node, node) ? 1 : 0));
      }
      phase_[node] = phase;
    }
    std::ranges::stable_sort(order_, [&](const Node* a, const Node* b) {
      const int pa = phase_.at(a), pb = phase_.at(b);
      return pa != pb ? pa < pb : inside_.contains(a) < inside_.contains(b);
    });
    for (Node* node : order_) graph_.move_before(node, nullptr);
  }

  Value current(Value v) const {
    const auto it = replaced_.find(v);
    return it == replaced_.end() ? v : it->second;
  }

  struct Body {
    std::unique_ptr<Graph> region = std::make_unique<Graph>();
    std::vector<Value> operands;
    ir::ValueMap<Value> map;  ///< outer value -> value inside
    std::optional<Value> index;
  };

  /// The value inside the body that stands for an operand (or capture) from outside.
  Value enter(Body& body, Value v, Node* before) {
    if (const auto it = body.map.find(v); it != body.map.end()) return it->second;
    const auto position = tracker_.position(v);
    Value inside;
    if (!position && v.node->is("stablehlo.constant")) {
      inside =
          ir::create_constant(*body.region, *v.node->attrs.find("value")->get_if<ir::DenseRef>());
    } else if (!position) {
      body.operands.push_back(ir::create_value(graph_, "mr.broadcast", {current(v)},
                                               {{"placement", placement_}}, broadcast_type(v),
                                               before));
      inside = body.region->add_argument(v.type());
    } else {
      body.operands.push_back(front(v, *position, before));
      inside = body.region->add_argument(ir::type_without(v.type(), position));
    }
    body.map[v] = inside;
    return inside;
  }

  std::vector<Type> broadcast_type(Value v) const {
    Type t = v.type();
    t.dims.insert(t.dims.begin(), size_);
    return {t};
  }

  /// `v` with the axis in front; results of earlier maps have it there already.
  Value front(Value v, const AxisPosition& position, Node* before) {
    if (const auto it = placed_.find(v); it != placed_.end()) return it->second;
    return axis_to_front(graph_, current(v), position, size_, before);
  }

  void make_map(const std::vector<Node*>& nodes) {
    Node* const before = nodes.front();
    Body body;
    std::vector<Value> outputs;  // old values, in order of the map's results
    const std::set<const Node*> group(nodes.begin(), nodes.end());
    std::set<Value> needed = values_needed_outside(group);
    for (Node* node : nodes) {
      const AxisFlow& flow = *tracker_.flow(node);
      std::vector<Value> operands;
      for (const Value& v : node->operands()) operands.push_back(enter(body, v, before));
      const ir::RemovalContext context{.into = *body.region,
                                       .partition_index = [&] { return partition_index(body); },
                                       .capture = [&](Value v) { return enter(body, v, before); }};
      const ir::Removal removal = ir::remove_dim(*node, flow, size_, operands, context);
      if (!removal.why.empty())
        throw_internal_error(
            cat(node->name(), ": the axis passes but cannot be removed: ", removal.why));
      for (std::size_t k = 0; k < removal.results.size(); ++k)
        body.map[node->result(int(k))] = removal.results[k];
    }
    for (Node* node : nodes)
      for (int k = 0; k < node->result_count(); ++k)
        // What does not have the axis depends on nothing that has it: the node stays outside for it.
        if (needed.contains(node->result(k)) &&
            (is_reduced(node) || tracker_.position(node->result(k)))) {
          outputs.push_back(node->result(k));
          body.region->results.push_back(body.map.at(node->result(k)));
        }
    if (outputs.empty()) return;
    if (body.operands.empty()) add_dummy_operand(body, before);
    finish_map(body, outputs, before);
  }

  /// Results that nodes outside of the group use, and every reduced result.
  std::set<Value> values_needed_outside(const std::set<const Node*>& group) const {
    std::set<Value> needed;
    const auto use = [&](const Node* user, Value v) {
      if (group.contains(v.node) &&
          (user == nullptr || !group.contains(user) || is_reduced(v.node)))
        needed.insert(v);
    };
    for (Node* node : graph_.nodes()) {
      for (const Value& v : node->operands()) use(node, v);
      for (const Value& v : ir::captures(*node)) use(node, v);
    }
    for (const Value& v : graph_.results) use(nullptr, v);
    return needed;
  }

  /// A map needs an operand to have a size; a body without inputs gets one it does not use.
  void add_dummy_operand(Body& body, Node* before) {
    const Value zero = ir::create_splat(graph_, Type::scalar(DType::f32), 0, before);
    body.operands.push_back(ir::create_value(
        graph_, "mr.broadcast", {zero}, {{"placement", placement_}}, broadcast_type(zero), before));
    (void)body.region->add_argument(zero.type());
  }

  void finish_map(Body& body, const std::vector<Value>& outputs, Node* before) {
    std::vector<Type> types;
    for (const Value& v : body.region->results) {
      types.push_back(v.type());
      types.back().dims.insert(types.back().dims.begin(), size_);
    }
    const ir::Dict attrs{{"placement", placement_},
                         {"in_axes", I64s(body.operands.size(), 0)},
                         {"out_axes", I64s(body.region->results.size(), 0)}};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(body.region));
    Node* map =
        ir::create(graph_, "mr.map", body.operands, attrs, std::move(regions), types, before);
    ++result_.maps;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Value placed = map->result(int(k));
      const AxisFlow& flow = *tracker_.flow(outputs[k].node);
      if (flow.kind == FactorKind::reduced) {
        replaced_[outputs[k]] = reduced(outputs[k], placed, flow, before);
        ++result_.reductions;
        continue;
      }
      placed_[outputs[k]] = placed;
      const auto position = tracker_.position(outputs[k]);
      PARTITA_ASSERT(position.has_value());
      replaced_[outputs[k]] =
          axis_from_front(graph_, placed, outputs[k].type(), *position, size_, before);
    }
  }

  Value reduced(Value old, Value placed, const AxisFlow& flow, Node* before) {
    return ir::create_value(graph_, reduction_op(flow), {placed}, {{"placement", placement_}},
                            {{old.type()}}, before);
  }

  Value partition_index(Body& body) {
    if (!body.index) {
      Node* const first = body.region->nodes().empty() ? nullptr : body.region->nodes().front();
      const Type type = Type::scalar(DType::i32);
      body.index = ir::create_value(*body.region, "mr.partition_index", {},
                                    {{"placement", placement_}}, {&type, 1}, first);
    }
    return *body.index;
  }

  Graph& graph_;
  const ir::AxisTracker& tracker_;
  std::string placement_;
  std::int64_t size_;
  std::set<const Node*> inside_;
  std::map<const Node*, int> phase_;
  std::vector<Node*> order_;
  ir::ValueMap<Value> replaced_, placed_;
  OutlineResult result_;
};

}  // namespace

OutlineResult outline(Graph& graph, const ir::AxisTracker& tracker, const std::string& placement,
                      std::int64_t size) {
  return Outliner(graph, tracker, placement, size).run();
}

}  // namespace partita::passes
