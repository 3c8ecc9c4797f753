// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/axis_plan.hpp"

#include <algorithm>
#include <set>

#include "ir/axes/axis_regions.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "passes/rewrites/sharding_constraints.hpp"
#include "passes/transforms/partition/indexed_parts.hpp"
#include "passes/transforms/partition/moving_boxes.hpp"
#include "passes/transforms/partition/ordered_parts.hpp"
#include "passes/transforms/partition/windowed_parts.hpp"

namespace partita::passes {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::AxisPositions;
using ir::Graph;
using ir::Node;
using ir::Value;

namespace {

AxisReason because(const Node& node) {
  return {.source = AxisReason::Source::node, .port = 0, .node = &node};
}

bool is_known(const AxisPositions& positions) {
  return std::ranges::all_of(positions, [](const auto& p) { return p.has_value(); });
}
bool is_any_known(const AxisPositions& positions) {
  return std::ranges::any_of(positions, [](const auto& p) { return p.has_value(); });
}

/// What is said of a node's results; null where nothing is.  Of nodes that passes have made of others it may not fit.
const ir::Sharding* said_of_result(const Node& node, int k) {
  const auto& all = ir::shardings_in(node.attrs.find("sdy.sharding"));
  if (std::ssize(all) != node.result_count()) return nullptr;
  const ir::Sharding& said = all[std::size_t(k)];
  return std::ssize(said.dims) == node.result_types()[std::size_t(k)].rank() ? &said : nullptr;
}

/// What is said of a function's values: by its arguments, results, constraints and other nodes.
void each_sharding(const ir::Function& f, const std::function<void(const ir::Sharding&)>& visit) {
  for (const auto* ports : {&f.arg_attrs, &f.res_attrs})
    for (const ir::Dict& attrs : *ports)
      if (const auto* sharding = ir::sharding_in(attrs.find("sdy.sharding"))) visit(*sharding);
  ir::walk(*f.body, [&](const Node& node) {
    if (is_sharding_constraint(node))
      if (const auto* sharding = ir::sharding_in(node.attrs.find("sharding"))) visit(*sharding);
    for (const ir::Sharding& sharding : ir::shardings_in(node.attrs.find("sdy.sharding")))
      visit(sharding);
  });
}

/// In order; 0 is one of them.
std::set<std::int64_t> priorities_of(const ir::Function& f) {
  std::set<std::int64_t> priorities{0};
  each_sharding(f, [&](const ir::Sharding& sharding) {
    for (const ir::DimSharding& dim : sharding.dims) priorities.insert(dim.priority.value_or(0));
  });
  return priorities;
}

bool is_later(const ir::DimSharding& dim, std::int64_t priority) {
  return dim.priority.value_or(0) > priority;
}

/// What is said as long as dimensions of later priorities do not count: they are closed, and their axes cut nothing.
ir::Sharding up_to(ir::Sharding sharding, std::int64_t priority) {
  for (ir::DimSharding& dim : sharding.dims) {
    if (!is_later(dim, priority)) continue;
    sharding.replicated.insert(sharding.replicated.end(), dim.axes.begin(), dim.axes.end());
    dim = {};
  }
  return sharding;
}

}  // namespace

AxisFlow flow_by(const Node& node, std::int64_t n, std::size_t k, bool is_operand,
                 const AxisPosition& at) {
  AxisPositions operands(node.operands().size()), results(std::size_t(node.result_count()));
  (is_operand ? operands : results)[k] = at;
  return ir::flow_axis(node, n, operands, results);
}

std::optional<AxisPosition> outside_map(std::optional<AxisPosition> inside, std::int64_t placed) {
  if (inside && placed >= 0 && inside->dim >= placed) ++inside->dim;
  return inside;
}

bool cuts_in_order(const AxisPosition& at, std::int64_t n, std::int64_t extent) {
  return at.outer == 1 && at.inner == (extent + n - 1) / n;
}

std::string to_text(const AxisReason& reason) {
  if (reason.source != AxisReason::Source::node)
    return cat(reason.source == AxisReason::Source::argument ? "argument " : "result ",
               reason.port);
  const Node& node = *reason.node;
  return node.hint.empty() ? std::string(node.name()) : cat(node.name(), " (%", node.hint, ")");
}

AxisPlan::AxisPlan(const ir::Function& f, const MeshCut& cut, MayCut may_cut)
    : cut_(cut), body_(*f.body), may_cut_(std::move(may_cut)), own_(*f.body, cut) {
  for (const std::int64_t priority : priorities_of(f)) {
    seed(f, priority);
    run(*f.body);
  }
}

std::optional<AxisPosition> AxisPlan::position(Value v) const {
  const AxisPlace* found = place(v);
  return found ? std::optional(found->at) : std::nullopt;
}

const AxisPlace* AxisPlan::place(Value v) const {
  const auto found = places_.find(v);
  return found == places_.end() ? nullptr : &found->second;
}

std::optional<AxisPosition> AxisPlan::said(const ir::Sharding& sharding, const Type& type) const {
  const std::int64_t n = cut_.size();
  for (std::size_t d = 0; d < sharding.dims.size() && d < type.dims.size(); ++d) {
    std::int64_t outer = 1, later = 1;
    bool is_found = false;
    for (const ir::AxisRef& ref : sharding.dims[d].axes) {
      const auto index = cut_.mesh.find(ref.name);
      if (!index || *index < cut_.axis) continue;
      if (*index == cut_.axis)
        is_found = true;
      else
        (is_found ? later : outer) *= cut_.mesh.axes[*index].size;
    }
    const std::int64_t extent = type.dims[d];
    if (!is_found || extent < 2) continue;
    const std::int64_t pieces = outer * n * later, inner = (extent + pieces - 1) / pieces * later;
    // Pieces of uneven size lie in order along one axis only.
    if (outer != 1 && outer * n * inner != extent) return std::nullopt;
    return AxisPosition{.dim = int(d), .outer = outer, .inner = inner};
  }
  return std::nullopt;
}

void AxisPlan::state(Value v, const ir::Sharding& sharding, std::int64_t priority,
                     const AxisReason& why) {
  const ir::Sharding now = up_to(sharding, priority);
  waiting_.erase(v);
  if (const auto at = said(now, v.type())) {
    set(v, at, why);
    return;
  }
  const bool may_cut =
      std::ranges::any_of(now.dims, &ir::DimSharding::is_open) && !now.names(cut_.name());
  if (may_cut) return;
  const bool has_later = std::ranges::any_of(
      sharding.dims, [&](const ir::DimSharding& dim) { return is_later(dim, priority); });
  (has_later ? waiting_ : closed_)[v] = true;
}

void AxisPlan::seed(const ir::Function& f, std::int64_t priority) {
  states_arguments_ = true;
  for (std::size_t k = 0; k < f.arg_attrs.size(); ++k)
    if (const auto* sharding = ir::sharding_in(f.arg_attrs[k].find("sdy.sharding")))
      state(f.body->argument(int(k)), *sharding, priority,
            {.source = AxisReason::Source::argument, .port = int(k), .node = nullptr});
  states_arguments_ = false;
  seed_constraints(*f.body, priority);
  if (priority == 0) seed_pieces(*f.body);
  seed_results(*f.body, priority);
  // A result's sharding is a wish: the value may lie otherwise where it is used.
  for (std::size_t k = 0; k < f.res_attrs.size() && k < f.body->results.size(); ++k)
    if (const auto* sharding = ir::sharding_in(f.res_attrs[k].find("sdy.sharding")))
      if (const auto at = said(up_to(*sharding, priority), f.body->results[k].type()))
        set(f.body->results[k], at,
            {.source = AxisReason::Source::result, .port = int(k), .node = nullptr});
}

void AxisPlan::seed_constraints(const Graph& graph, std::int64_t priority) {
  ir::walk(graph, [&](Node& node) {
    if (!is_sharding_constraint(node)) return;
    if (const auto* sharding = ir::sharding_in(node.attrs.find("sharding")))
      state(node.result(), *sharding, priority, because(node));
  });
}

/// A wish, too: nothing holds what passes make of the node to it.
void AxisPlan::seed_results(const Graph& graph, std::int64_t priority) {
  ir::walk(graph, [&](Node& node) {
    for (int k = 0; k < node.result_count(); ++k)
      if (const ir::Sharding* sharding = said_of_result(node, k))
        set(node.result(k), said(up_to(*sharding, priority), node.result_types()[std::size_t(k)]),
            because(node));
  });
}

void AxisPlan::seed_pieces(const Graph& graph) {
  ir::walk(graph, [&](Node& node) {
    if (!is_piece_op(node) || node.attrs.text("axis") != cut_.name()) return;
    const Value whole = node.is("mr.mesh_slice") ? node.operand(0) : node.result();
    const Value part = node.is("mr.mesh_slice") ? node.result() : node.operand(0);
    const auto d = std::size_t(node.attrs.i64("dim"));
    const AxisPosition at{.dim = int(d), .outer = 1, .inner = part.type().dims[d]};
    if (node.is("mr.mesh_join")) closed_.erase(whole);
    set(whole, at, because(node));
    closed_[part] = true;
  });
}

bool AxisPlan::set(Value v, const std::optional<AxisPosition>& at, const AxisReason& why) {
  if (!at || closed_.contains(v) || waiting_.contains(v) || own_.contains(v) || v.type().is_token)
    return false;
  const std::int64_t extent = v.type().dims.at(std::size_t(at->dim));
  if (extent < 2 || (at->outer != 1 && is_ragged(*at, cut_.size(), extent))) return false;
  if (body_.is_argument(v) &&
      (!(states_arguments_ || cuts_in_order(*at, cut_.size(), extent)) || !may_cut_(v.index, *at)))
    return false;
  return places_.emplace(v, AxisPlace{*at, why}).second;
}

bool AxisPlan::unite(Value a, Value b, const AxisReason& why) {
  bool changed = set(b, position(a), why);
  changed |= set(a, position(b), why);
  return changed;
}

/// `whole` has a placement's axis in front of `part` where in_axis is 0.
bool AxisPlan::unite_placed(Value whole, Value part, std::int64_t in_axis, const AxisReason& why) {
  if (in_axis < 0) return unite(whole, part, why);
  std::optional<AxisPosition> inside = position(whole);
  bool changed = set(whole, outside_map(position(part), in_axis), why);
  if (inside && inside->dim != in_axis) {
    if (inside->dim > in_axis) --inside->dim;
    changed |= set(part, inside, why);
  }
  return changed;
}

bool AxisPlan::visit_regions(Node& node) {
  const AxisReason why = because(node);
  bool changed = false;
  const bool is_loop = node.is("stablehlo.while");
  for (int k = 0; k < node.result_count(); ++k) {
    const Value result = node.result(k);
    if (is_loop) {
      const Value carried = node.region(1).argument(k);
      for (const Value v : {node.operand(std::size_t(k)), node.region(0).argument(k), result,
                            node.region(1).results[std::size_t(k)]})
        changed |= unite(carried, v, why);
    } else {
      for (const auto& region : node.regions())
        changed |= unite(result, region->results[std::size_t(k)], why);
    }
  }
  return changed;
}

bool AxisPlan::visit_map(Node& node) {
  const AxisReason why = because(node);
  const Graph& body = node.region(0);
  bool changed = false;
  const ir::I64s &in = node.attrs.i64s_or_empty("in_axes"),
                 &out = node.attrs.i64s_or_empty("out_axes");
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    changed |= unite_placed(node.operand(k), body.argument(int(k)), in.empty() ? 0 : in[k], why);
  for (std::size_t k = 0; k < body.results.size(); ++k)
    changed |= unite_placed(node.result(int(k)), body.results[k], out.empty() ? 0 : out[k], why);
  return changed;
}

/// An array into which rows or a box are written at places that run time tells stays cut along their dimension; so does a
/// box over most of the dimension.
bool AxisPlan::visit_indexed(Node& node) {
  const bool writes_box = node.is("stablehlo.dynamic_update_slice"),
             reads_box = node.is("stablehlo.dynamic_slice");
  if (!writes_box && !reads_box && !node.is("stablehlo.scatter")) return false;
  const AxisReason why = because(node);
  bool changed = false;
  if (!reads_box) {
    const auto along = [&](Value v) {
      const auto at = position(v);
      return at && at->outer == 1 && (addresses(node, at->dim) || has_moving_box(node, at->dim))
                 ? at
                 : std::nullopt;
    };
    changed |= set(node.result(), along(node.operand(0)), why);
    if (follows_back_) changed |= set(node.operand(0), along(node.result()), why);
  }
  if (!writes_box && !reads_box) return changed;
  const Value array = node.operand(0), box = box_of(node);
  const auto of_array = position(array), of_box = position(box);
  if (of_array && (reads_box || follows_back_))
    changed |= set(box, place_of_box(node, cut_.size(), *of_array), why);
  if (of_box && (writes_box || follows_back_))
    changed |= set(array, place_of_array(node, cut_.size(), *of_box), why);
  return changed;
}

/// Windows along a dimension keep it cut where halos come from next to a shard; the largest operand leads.
bool AxisPlan::visit_windows(Node& node) {
  const AxisReason why = because(node);
  const std::int64_t n = cut_.size();
  std::optional<AxisPosition> of_windows;
  std::int64_t largest = -1;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const auto at = position(node.operand(k));
    if (!at || node.operand(k).type().count() <= largest) continue;
    largest = node.operand(k).type().count();
    of_windows = place_of_windows(node, n, k, *at);
  }
  bool changed = false;
  for (int r = 0; r < node.result_count(); ++r) changed |= set(node.result(r), of_windows, why);
  if (!follows_back_) return changed;
  for (int r = 0; r < node.result_count(); ++r)
    if (const auto at = position(node.result(r)))
      for (std::size_t k = 0; k < node.operands().size(); ++k)
        changed |= set(node.operand(k), place_of_elements(node, n, k, *at), why);
  return changed;
}

/// What is made of parts along the dimension along which the axis cuts them stays cut so.
bool AxisPlan::visit_ordered(Node& node) {
  const AxisReason why = because(node);
  bool changed = false;
  const auto follow = [&](Value from, Value to) {
    const auto at = position(from);
    if (at && cuts_in_order(*at, cut_.size(), from.type().dims[std::size_t(at->dim)]) &&
        goes_along(node, at->dim))
      changed |= set(to, at, why);
  };
  for (const Value& v : node.operands()) {
    if (v.type().rank() == 0) continue;
    for (int k = 0; k < node.result_count(); ++k) {
      follow(v, node.result(k));
      if (follows_back_) follow(node.result(k), v);
    }
  }
  return changed;
}

bool AxisPlan::visit_plain(Node& node) {
  if (own_.holds_whole(node)) return false;
  if (visit_indexed(node) || visit_ordered(node) || visit_windows(node)) return true;
  AxisPositions operands, results;
  for (const Value& v : node.operands()) operands.push_back(position(v));
  for (int k = 0; k < node.result_count(); ++k) results.push_back(position(node.result(k)));
  if (!is_any_known(operands) && !is_any_known(results)) return false;
  if (is_known(results) && (!follows_back_ || is_known(operands))) return false;
  AxisFlow flow = ir::flow_axis(node, cut_.size(), operands, results);
  // Where they do not agree, the largest operand leads.
  if (!flow.why.empty()) {
    std::int64_t largest = -1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (!operands[k] || node.operand(k).type().count() <= largest) continue;
      AxisFlow own = flow_by(node, cut_.size(), k, true, *operands[k]);
      if (!own.why.empty()) continue;
      largest = node.operand(k).type().count();
      flow = std::move(own);
    }
    if (!flow.why.empty()) return false;
  }
  const AxisReason why = because(node);
  bool changed = false;
  for (std::size_t k = 0; k < flow.results.size(); ++k)
    changed |= set(node.result(int(k)), flow.results[k], why);
  if (!follows_back_) return changed;
  for (std::size_t k = 0; k < flow.operands.size(); ++k)
    changed |= set(node.operand(k), flow.operands[k], why);
  return changed;
}

bool AxisPlan::visit(Node& node) {
  if (is_piece_op(node) && node.attrs.text("axis") == cut_.name()) return false;
  if (ir::is_control_flow(node)) return visit_regions(node);
  if (node.is("mr.map")) return visit_map(node);
  return visit_plain(node);
}

bool AxisPlan::sweep(const Graph& graph, bool backwards) {
  bool changed = false;
  const auto each = [&](Node* node) {
    if (!backwards) changed |= visit(*node);
    if (node->op().regions_capture || node->is("mr.map"))
      for (const auto& region : node->regions()) changed |= sweep(*region, backwards);
    if (!node->regions().empty() || backwards) changed |= visit(*node);
  };
  if (backwards)
    for (auto it = graph.nodes().rbegin(); it != graph.nodes().rend(); ++it) each(*it);
  else
    for (Node* node : graph.nodes()) each(node);
  return changed;
}

/// With the data first, then also against it.
void AxisPlan::run(const Graph& graph) {
  follows_back_ = false;
  while (sweep(graph, false)) {
  }
  follows_back_ = true;
  for (bool changed = true; changed;) {
    changed = sweep(graph, true);
    changed |= sweep(graph, false);
  }
}

}  // namespace partita::passes
