// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Recovers map/reduce programs: composites become mr ops, and programs that arrive vectorised are
// outlined.  Where the axis lies is known from mr ops, from sdy annotations that name a mesh axis, or
// is searched for, given a placement's size.  What cannot be recovered stays and still runs right.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/composites.hpp"
#include "passes/analysis/outline.hpp"
#include "passes/analysis/partition_indices.hpp"
#include "passes/analysis/placement_support.hpp"
#include "passes/analysis/scan_to_map.hpp"
#include "passes/analysis/sharding_text.hpp"

namespace partita::passes::transforms {
namespace {

using ir::AxisPosition;
using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

using Seeds = std::vector<std::pair<Value, AxisPosition>>;

/// Seeds by placement, from sdy.sharding_constraint and sdy.sharding of arguments.
std::map<std::string, Seeds> annotated_seeds(const ir::Module& module, const ir::Function& f) {
  std::map<std::string, Seeds> seeds;
  const auto add = [&](Value v, const std::string& sharding) {
    const auto axes = sharding_axes(sharding);
    for (std::size_t d = 0; d < axes.size() && d < v.type().dims.size(); ++d)
      if (axes[d].size() == 1 && module.placement_size(axes[d][0]) == v.type().dims[d])
        seeds[axes[d][0]].emplace_back(v, AxisPosition{.dim = int(d)});
  };
  for (std::size_t k = 0; k < f.arg_attrs.size(); ++k)
    if (const ir::Attribute* a = f.arg_attrs[k].find("sdy.sharding"))
      if (const auto* raw = a->get_if<ir::RawAttr>()) add(f.body->argument(int(k)), raw->text);
  for (Node* node : f.body->nodes()) {
    if (!node->is("sdy.sharding_constraint")) continue;
    if (const ir::Attribute* a = node->attrs.find("sharding"))
      if (const auto* raw = a->get_if<ir::RawAttr>())
        add(node->operand(0), raw->text), add(node->result(), raw->text);
  }
  return seeds;
}

/// Mesh axes that constraints in the program name; their sizes become placements.
void declare_mesh_axes(ir::Module& module, const ir::Function& f) {
  std::set<std::string> named;
  ir::walk(*f.body, [&](Node& node) {
    if (!node.is("sdy.sharding_constraint")) return;
    if (const ir::Attribute* a = node.attrs.find("sharding"))
      if (const auto* raw = a->get_if<ir::RawAttr>())
        for (const auto& dim : sharding_axes(raw->text)) named.insert(dim.begin(), dim.end());
  });
  for (const auto& [axis, size] : mesh_axes(module))
    if (named.contains(axis) && size > 0) declare_placement(module, axis, size, "sdy.mesh");
}

void remove_constraints(Graph& graph) {
  ir::ValueMap<Value> replaced;
  std::vector<Node*> constraints;
  ir::walk(graph, [&](Node& node) {
    if (node.is("sdy.sharding_constraint")) constraints.push_back(&node);
  });
  for (Node* node : constraints) {
    Value v = node->operand(0);
    while (v.node->is("sdy.sharding_constraint")) v = v.node->operand(0);
    replaced[node->result()] = v;
  }
  graph.replace_uses(replaced);
  ir::remove_dead_nodes(graph);
}

/// Where mr ops say the axis is.
Seeds placed_seeds(const Graph& graph, const std::string& placement) {
  Seeds seeds;
  for (Node* node : graph.nodes()) {
    if (!node->name().starts_with("mr.") || node->attrs.text("placement", "") != placement)
      continue;
    if (node->is("mr.broadcast") || node->is("mr.map"))
      for (int k = 0; k < node->result_count(); ++k)
        seeds.emplace_back(node->result(k), AxisPosition{});
    if (node->is("mr.map") || is_reduction(*node)) {
      const bool keeps_shape = node->is("mr.map");
      const I64s segments = node->attrs.i64s_or_empty("operand_segments");
      std::size_t placed = node->operands().size();
      if (!keeps_shape && segments.size() == 4)
        placed = std::size_t(segments[0] + segments[1] + segments[2]);
      for (std::size_t k = 0; k < placed; ++k) seeds.emplace_back(node->operand(k), AxisPosition{});
    }
  }
  return seeds;
}

/// Dimensions of the placement's size that may be it: of arguments, of values that a broadcast
/// widens, of operands that a reduction sums up.
Seeds candidate_seeds(const Graph& graph, std::int64_t n) {
  Seeds seeds;
  for (const Value& v : graph.arguments())
    for (std::size_t d = 0; d < v.type().dims.size(); ++d)
      if (v.type().dims[d] == n) seeds.emplace_back(v, AxisPosition{.dim = int(d)});
  for (Node* node : graph.nodes()) {
    if (node->is("stablehlo.broadcast_in_dim")) {
      const I64s& dims = node->attrs.i64s("broadcast_dimensions");
      const Dims& shape = node->result_types()[0].dims;
      for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] == n && std::ranges::find(dims, std::int64_t(d)) == dims.end())
          seeds.emplace_back(node->result(), AxisPosition{.dim = int(d)});
    }
    if (node->is("stablehlo.reduce"))
      for (std::int64_t d : node->attrs.i64s("dimensions"))
        if (node->operand(0).type().dims[std::size_t(d)] == n)
          seeds.emplace_back(node->operand(0), AxisPosition{.dim = int(d)});
  }
  return seeds;
}

/// The candidate whose axis passes through the most nodes and is summed up somewhere or reaches an
/// argument; nothing when there is none.
std::unique_ptr<AxisTracker> search(const Graph& graph, std::int64_t n) {
  std::unique_ptr<AxisTracker> best;
  std::int64_t best_score = 0;
  std::set<std::pair<Value, int>> covered;
  for (const auto& [v, position] : candidate_seeds(graph, n)) {
    if (covered.contains({v, position.dim})) continue;
    auto tracker = std::make_unique<AxisTracker>(graph, n);
    tracker->seed(v, position);
    tracker->run();
    for (const auto& [value, p] : tracker->positions())
      if (p.outer == 1 && p.inner == 1) covered.insert({value, p.dim});
    const std::int64_t score = tracker->parallel_nodes();
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(tracker);
  }
  return best;
}

/// reduce_sum followed by a division by n is a mean.
void recognise_means(Graph& graph, const ir::Module& module) {
  const auto uses = ir::count_uses(graph);
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) recognise_means(*region, module);
    if (!node->is("stablehlo.divide")) continue;
    const Value sum = node->operand(0);
    Value by = node->operand(1);
    if (by.node->is("stablehlo.broadcast_in_dim")) by = by.node->operand(0);
    if (!sum.node->is("mr.reduce_sum") || sum.node->graph() != &graph ||
        sum.node->operands().size() != 1)
      continue;
    if (uses.at(sum) != 1 || !by.node->is("stablehlo.constant") || !is_float(by.type().dtype))
      continue;
    const auto& dense = **by.node->attrs.find("value")->get_if<ir::DenseRef>();
    const auto n = module.placement_size(sum.node->attrs.text("placement"));
    if (!n || !(dense == *ir::make_splat(by.type(), double(*n)))) continue;
    Node* mean = ir::create(graph, "mr.reduce_mean", sum.node->operands(),
                            {{"placement", sum.node->attrs.text("placement")}}, {},
                            node->result_types(), node, node->location());
    graph.replace_uses(node->result(), mean->result());
  }
  ir::remove_dead_nodes(graph);
}

void outline_placement(ir::Module& module, Graph& graph, const std::string& placement,
                       const Seeds& annotated, bool may_search, PassContext& context) {
  const std::int64_t n = declared_size(module, placement);
  Seeds seeds = placed_seeds(graph, placement);
  seeds.insert(seeds.end(), annotated.begin(), annotated.end());
  std::unique_ptr<AxisTracker> tracker;
  if (!seeds.empty()) {
    tracker = std::make_unique<AxisTracker>(graph, n);
    for (const auto& [v, position] : seeds) tracker->seed(v, position);
    tracker->run();
  } else if (may_search) {
    tracker = search(graph, n);
    if (!tracker)
      throw_user_error(
          cat("--placement ", placement, "=", n,
              ": expected a dimension of that size that maps and reductions share, found none"));
  }
  if (!tracker) return;
  const OutlineResult result = outline(graph, *tracker, placement, n);
  context.counts["maps_recovered"] += result.maps;
  context.remarks.insert(context.remarks.end(), result.remarks.begin(), result.remarks.end());
}

void run(ir::Module& module, PassContext& context) {
  for (const auto& [name, size] : context.placements) {
    if (size <= 0)
      throw_user_error(
          cat("--placement ", name, "=", size, ": expected a size of at least 1, found ", size));
    declare_placement(module, name, size, "--placement");
  }
  ir::Function& f = module.entry(context.function);
  raise_composites(module, f, context);
  declare_mesh_axes(module, f);
  normalise_maps(*f.body, module);
  std::vector<std::string> placements;
  std::map<std::string, std::int64_t> sizes;
  if (const ir::Attribute* a = module.attrs.find("mr.placements"))
    for (const auto& p : a->get_if<ir::Dict>()->items()) {
      placements.push_back(p.name);
      sizes[p.name] = declared_size(module, p.name);
    }
  context.counts["maps_recovered"] += scans_to_maps(*f.body, sizes);
  for (const std::string& placement : placements) {
    const auto annotated = annotated_seeds(module, f);
    const auto it = annotated.find(placement);
    outline_placement(module, *f.body, placement, it == annotated.end() ? Seeds{} : it->second,
                      context.placements.contains(placement), context);
  }
  for (const auto& g : module.functions)
    if (g->is_public) remove_constraints(*g->body);
  normalise_maps(*f.body, module);
  localise_partition_indices(*f.body, module);
  recognise_means(*f.body, module);
}

}  // namespace

PassInfo pass_raise();
PassInfo pass_raise() {
  return {.name = "raise",
          .doc = "Recovers maps and reductions from composites and from vectorised programs.",
          .needs = Stage::inlined,
          .gives = Stage::raised,
          .idempotent = false,
          .run = run};
}

}  // namespace partita::passes::transforms
