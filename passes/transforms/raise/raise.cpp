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

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/program_mesh.hpp"
#include "passes/rewrites/partition_indices.hpp"
#include "passes/rewrites/sharding_constraints.hpp"
#include "passes/transforms/raise/composites.hpp"
#include "passes/transforms/raise/outline.hpp"
#include "passes/transforms/raise/scan_to_map.hpp"

namespace partita::passes::transforms {
namespace {

using ir::AxisPosition;
using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

using Seeds = std::vector<std::pair<Value, AxisPosition>>;

/// Where sdy.sharding_constraint and sdy.sharding of arguments (of a function's body) say a
/// placement's axis is.
Seeds annotated_seeds(const ir::Module& module, const ir::Function& f, const Graph& graph,
                      const std::string& placement) {
  Seeds seeds;
  const auto add = [&](Value v, const ir::Attribute* sharding) {
    const ir::Sharding* said = ir::sharding_in(sharding);
    if (!said) return;
    for (std::size_t d = 0; d < said->dims.size() && d < v.type().dims.size(); ++d)
      if (said->dims[d].axes == std::vector{ir::AxisRef{placement}} &&
          module.placement_size(placement) == v.type().dims[d])
        seeds.emplace_back(v, AxisPosition{.dim = int(d)});
  };
  for (std::size_t k = 0; &graph == f.body.get() && k < f.arg_attrs.size(); ++k)
    add(graph.argument(int(k)), f.arg_attrs[k].find("sdy.sharding"));
  for (Node* node : graph.nodes()) {
    if (!node->is("sdy.sharding_constraint")) continue;
    add(node->operand(0), node->attrs.find("sharding"));
    add(node->result(), node->attrs.find("sharding"));
  }
  return seeds;
}

/// A value and what is said of it.
using Said = std::vector<std::pair<Value, ir::Sharding>>;

Said said_of_arguments(const ir::Function& f) {
  Said all;
  for (std::size_t k = 0; k < f.arg_attrs.size(); ++k)
    if (const auto* sharding = ir::sharding_in(f.arg_attrs[k].find("sdy.sharding")))
      all.emplace_back(f.body->argument(int(k)), *sharding);
  return all;
}

Said said_by_constraints(const ir::Function& f) {
  Said all;
  ir::walk(*f.body, [&](Node& node) {
    if (!node.is("sdy.sharding_constraint")) return;
    if (const auto* sharding = ir::sharding_in(node.attrs.find("sharding")))
      all.emplace_back(node.result(), *sharding);
  });
  return all;
}

/// The dimension that a sharding cuts along an axis; -1: none.
int cut_dimension(const ir::Sharding& sharding, const std::string& axis) {
  for (std::size_t d = 0; d < sharding.dims.size(); ++d)
    if (std::ranges::find(sharding.dims[d].axes, axis, &ir::AxisRef::name) !=
        sharding.dims[d].axes.end())
      return int(d);
  return -1;
}

/// Whether an axis of a mesh can be a placement's: what it cuts has its size there, and no constraint moves it to
/// another dimension, as where tokens go to experts.
bool is_of_partitions(const ir::MeshAxis& axis, const ir::Function& f, const Said& arguments,
                      const Said& constraints) {
  ir::AxisTracker tracker(*f.body, axis.size);
  const auto fits = [&](const Value& v, const ir::Sharding& sharding) {
    const int d = cut_dimension(sharding, axis.name);
    return d < 0 || v.type().dims.at(std::size_t(d)) == axis.size;
  };
  for (const auto& [v, sharding] : arguments) {
    if (!fits(v, sharding)) return false;
    if (const int d = cut_dimension(sharding, axis.name); d >= 0)
      tracker.seed(v, AxisPosition{.dim = d});
  }
  tracker.run();
  return std::ranges::all_of(constraints, [&](const auto& said) {
    const auto& [v, sharding] = said;
    const auto at = tracker.position(v);
    const int d = cut_dimension(sharding, axis.name);
    return fits(v, sharding) && (d < 0 || !at || at->dim == d);
  });
}

/// Mesh axes that constraints in the program name; their sizes become placements.
void declare_mesh_axes(ir::Module& module, const ir::Function& f) {
  const Said arguments = said_of_arguments(f), constraints = said_by_constraints(f);
  for (const ir::Mesh& mesh : ir::meshes(module))
    for (const ir::MeshAxis& axis : mesh.axes) {
      const bool is_named = std::ranges::any_of(constraints, [&](const auto& said) {
        return cut_dimension(said.second, axis.name) >= 0;
      });
      if (is_named && is_of_partitions(axis, f, arguments, constraints))
        declare_placement(module, axis.name, axis.size, "sdy.mesh");
    }
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

/// What a candidate must show to be taken for the placement's axis.
enum class Evidence : std::uint8_t {
  any_node,   ///< it passes a node
  reduction,  ///< it is also dimension 0 of an argument, and summed up by a reduce
};

/// Dimension 0 of an argument; of a region, where rounds are sliced off data, also dimension 1 of one
/// or of a value from outside.
bool reaches_argument(const Graph& graph, const ir::AxisTracker& tracker) {
  const int last = graph.owner() ? 1 : 0;
  return std::ranges::any_of(tracker.positions(), [&](const auto& entry) {
    const auto& [v, p] = entry;
    return (v.node->is("graph.arguments") || v.node->graph() != &graph) && p.outer == 1 &&
           p.inner == 1 && p.dim <= last;
  });
}

/// The candidate whose axis passes through the most nodes; nothing when there is none.
std::unique_ptr<ir::AxisTracker> search(const Graph& graph, std::int64_t n, Evidence evidence) {
  std::unique_ptr<ir::AxisTracker> best;
  std::int64_t best_score = 0;
  std::set<std::pair<Value, int>> covered;
  for (const auto& [v, position] : candidate_seeds(graph, n)) {
    if (covered.contains({v, position.dim})) continue;
    auto tracker = std::make_unique<ir::AxisTracker>(graph, n);
    tracker->seed(v, position);
    tracker->run();
    for (const auto& [value, p] : tracker->positions())
      if (p.outer == 1 && p.inner == 1) covered.insert({value, p.dim});
    const std::int64_t score = tracker->parallel_nodes();
    if (score <= best_score) continue;
    const bool is_enough = evidence == Evidence::any_node ||
                           (tracker->is_reduced() && reaches_argument(graph, *tracker));
    if (!is_enough) continue;
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

class PlacementRaiser {
 public:
  PlacementRaiser(const ir::Module& module, const ir::Function& f, std::string placement,
                  PassContext& context)
      : module_(module),
        f_(f),
        placement_(std::move(placement)),
        size_(declared_size(module, placement_)),
        may_search_(context.placements.contains(placement_)),
        context_(context) {}

  void run() {
    graph(*f_.body);
    if (may_search_ && !is_found_)
      throw_user_error(
          cat("--placement ", placement_, "=", size_,
              ": expected a dimension of that size that maps and reductions share, found none"));
  }

 private:
  /// Raises a graph, then what is left of control flow in it: a loop over rounds holds maps and
  /// reductions of its own.
  void graph(Graph& g) {
    Seeds seeds = placed_seeds(g, placement_);
    const Seeds annotated = annotated_seeds(module_, f_, g, placement_);
    seeds.insert(seeds.end(), annotated.begin(), annotated.end());
    if (!seeds.empty()) {
      ir::AxisTracker tracker(g, size_);
      for (const auto& [v, position] : seeds) tracker.seed(v, position);
      tracker.run();
      is_found_ = true;
      outline_along(g, tracker);
    } else if (may_search_) {
      search_in(g);
    }
    for (Node* node : std::vector<Node*>(g.nodes()))
      if (node->op().regions_capture) regions_of(*node);
  }

  /// An axis that ends in a loop because the loop reduces it has been followed if maps are found there.
  void regions_of(const Node& node) {
    std::vector<std::string> remarks;
    for (const auto& [at, remark] : reduced_inside_)
      if (at == &node) remarks.push_back(remark);
    const std::int64_t before = context_.counts["maps_recovered"];
    for (const auto& region : node.regions()) graph(*region);
    if (context_.counts["maps_recovered"] == before)
      context_.remarks.insert(context_.remarks.end(), remarks.begin(), remarks.end());
  }

  /// The best candidate, and then others that are summed up.
  void search_in(Graph& g) {
    const bool is_top = &g == f_.body.get();
    for (Evidence evidence = is_top ? Evidence::any_node : Evidence::reduction;;
         evidence = Evidence::reduction) {
      const auto tracker = search(g, size_, evidence);
      if (!tracker) return;
      is_found_ = true;
      if (outline_along(g, *tracker) == 0) return;
    }
  }

  /// Number of maps made.
  int outline_along(Graph& g, const ir::AxisTracker& tracker) {
    const OutlineResult result = outline(g, tracker, placement_, size_);
    context_.counts["maps_recovered"] += result.maps;
    context_.remarks.insert(context_.remarks.end(), result.remarks.begin(), result.remarks.end());
    reduced_inside_.insert(reduced_inside_.end(), result.reduced_inside.begin(),
                           result.reduced_inside.end());
    return result.maps;
  }

  const ir::Module& module_;
  const ir::Function& f_;
  std::string placement_;
  std::int64_t size_;
  bool may_search_;
  PassContext& context_;
  bool is_found_ = false;
  std::vector<std::pair<const Node*, std::string>> reduced_inside_;
};

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
  for (const std::string& placement : placements)
    PlacementRaiser(module, f, placement, context).run();
  // Functions that are left beside public ones are those that derivatives are taken of.
  std::vector<ir::Function*> others;
  for (const auto& g : module.functions)
    if (!g->is_public && g.get() != &f) others.push_back(g.get());
  for (ir::Function* g : others) {
    raise_composites(module, *g, context);
    normalise_maps(*g->body, module);
  }
  // What they say of axes that are no placements is for `partition`.
  if (!program_mesh(module))
    for (const auto& g : module.functions) remove_sharding_constraints(*g->body);
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
