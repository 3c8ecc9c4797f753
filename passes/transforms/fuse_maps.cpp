// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One map per placement and phase: the phase of a value is the number of reductions (and of
// operations that stay outside of maps) on its path.  What one phase computes streams together; a
// value that a later phase needs is stored, or computed again where that is cheaper.  A barrier
// behind maps ends a phase.  Large sums that need nothing of what is expensive in their phase have
// a map of their own before it, so that they travel meanwhile.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/partition_work.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

enum class Role : std::uint8_t { other, map, reduction };

Role role_of(const Node& node) {
  if (node.is("mr.map")) return ir::passed_by_barrier(node).empty() ? Role::map : Role::other;
  return is_reduction(node) ? Role::reduction : Role::other;
}

/// Gives every reduction a map to draw from, so that streaming sees one form.
void wrap_reduction_operands(Graph& graph) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    if (!is_reduction(*node)) continue;
    const Value x = node->operand(0);
    if (x.node->is("mr.map") && x.node->graph() == &graph &&
        x.node->attrs.text("placement") == node->attrs.text("placement") &&
        x.node->attrs.i64s("out_axes")[std::size_t(x.index)] == 0)
      continue;
    const auto mapped = build_map(graph, node, node->attrs.text("placement"), {x},
                                  [](Graph&, const std::vector<Value>& v) { return v; });
    node->set_operand(0, mapped[0]);
  }
}

class Phases {
 public:
  explicit Phases(const Graph& graph) {
    for (Node* node : graph.nodes()) {
      int phase = 0;
      const auto consider = [&](const Value& v) {
        const auto it = of_value.find(v);
        if (it == of_value.end()) return;
        // Whatever is no map has to wait until a mapped value is complete.
        const bool waits = role_of(*node) == Role::other && v.node->is("mr.map");
        phase = std::max(phase, it->second + (waits ? 1 : 0));
      };
      for (const Value& v : node->operands()) consider(v);
      for (const Value& v : ir::captures(*node)) consider(v);
      of_node[node] = phase;
      for (int k = 0; k < node->result_count(); ++k)
        of_value[node->result(k)] = phase + (role_of(*node) == Role::reduction ? 1 : 0);
    }
  }
  std::map<const Node*, int> of_node;
  ir::ValueMap<int> of_value;
};

/// Orders nodes by phase: first what is outside of maps, then maps, then reductions.
void order_by_phase(Graph& graph, const Phases& phases) {
  std::vector<Node*> nodes = graph.nodes();
  std::ranges::stable_sort(nodes, [&](const Node* a, const Node* b) {
    const int pa = phases.of_node.at(a), pb = phases.of_node.at(b);
    return pa != pb ? pa < pb : role_of(*a) < role_of(*b);
  });
  for (Node* node : nodes) graph.move_before(node, nullptr);
}

/// The maps of one phase as one; its operands are those of all that come from outside of the group.
void merge(Graph& graph, const std::vector<Node*>& maps) {
  auto region = std::make_unique<Graph>();
  std::vector<Value> operands, outputs;
  I64s in_axes, out_axes;
  std::map<std::pair<Value, std::int64_t>, Value> arguments;
  ir::ValueMap<Value> inner;  // results of the group inside of the merged body
  std::vector<Type> types;
  for (Node* map : maps) {
    ir::ValueMap<Value> body_map;
    const I64s& axes = map->attrs.i64s("in_axes");
    for (std::size_t k = 0; k < map->operands().size(); ++k) {
      const Value v = map->operand(k);
      const Value argument = map->region(0).argument(int(k));
      if (const auto it = inner.find(v); it != inner.end() && axes[k] == 0) {
        body_map[argument] = it->second;
        continue;
      }
      const auto [it, is_new] = arguments.emplace(std::pair(v, axes[k]), Value{});
      if (is_new) {
        it->second = region->add_argument(argument.type());
        operands.push_back(v);
        in_axes.push_back(axes[k]);
      }
      body_map[argument] = it->second;
    }
    const auto results = ir::clone_body(map->region(0), *region, body_map);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Value old = map->result(int(k));
      if (map->attrs.i64s("out_axes")[k] == 0) inner[old] = results[k];
      region->results.push_back(results[k]);
      outputs.push_back(old);
      out_axes.push_back(map->attrs.i64s("out_axes")[k]);
      types.push_back(old.type());
    }
  }
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* merged = ir::create(graph, "mr.map", operands,
                            {{"placement", maps[0]->attrs.text("placement")},
                             {"in_axes", in_axes},
                             {"out_axes", out_axes}},
                            std::move(regions), types, maps.back(), maps[0]->location());
  ir::ValueMap<Value> replaced;
  for (std::size_t k = 0; k < outputs.size(); ++k) replaced[outputs[k]] = merged->result(int(k));
  graph.replace_uses(replaced);
  for (auto it = maps.rbegin(); it != maps.rend(); ++it) graph.erase(*it);
}

// --- Sums that leave early ----------------------------------------------------------------------

/// A sum of so many bytes travels while other maps of its phase compute.
constexpr std::int64_t least_early_bytes = std::int64_t(64) << 10;
/// Operations of contractions, in which a byte of a sum travels.
constexpr double operations_per_byte = 16;

/// Maps of a group that depend on one another, in their order.
std::vector<std::vector<Node*>> dependent_maps(const std::vector<Node*>& maps) {
  std::vector<std::vector<Node*>> parts;
  for (Node* map : maps) {
    std::vector<Node*> own{map};
    const auto is_needed = [&](const std::vector<Node*>& part) {
      return std::ranges::any_of(map->operands(), [&](const Value& v) {
        return std::ranges::find(part, v.node) != part.end();
      });
    };
    for (std::vector<Node*>& part : parts)
      if (is_needed(part)) {
        own.insert(own.end() - 1, part.begin(), part.end());
        part.clear();
      }
    std::erase_if(parts, [](const std::vector<Node*>& part) { return part.empty(); });
    parts.push_back(std::move(own));
  }
  return parts;
}

/// Bytes that reductions make of what these maps give; nothing where something else uses it.
std::optional<std::int64_t> reduced_bytes(const Graph& graph, const std::vector<Node*>& maps) {
  const auto is_given = [&](const Value& v) {
    return std::ranges::find(maps, v.node) != maps.end();
  };
  if (std::ranges::any_of(graph.results, is_given)) return std::nullopt;
  std::int64_t bytes = 0;
  for (Node* node : graph.nodes()) {
    if (std::ranges::find(maps, node) != maps.end()) continue;
    if (std::ranges::none_of(ir::captures(*node), is_given)) continue;
    if (role_of(*node) != Role::reduction) return std::nullopt;
    bytes += std::int64_t(node->result().type().bytes());
  }
  return bytes;
}

double contraction_operations(const std::vector<Node*>& maps) {
  double all = 0;
  for (const Node* map : maps)
    for (const auto& [dtype, operations] : partition_work(map->region(0)).operations)
      all += operations;
  return all;
}

/// Takes those maps out of a group whose sums are worth sending before the others compute.
std::vector<Node*> take_early_maps(const Graph& graph, std::vector<Node*>& maps) {
  const double all = contraction_operations(maps);
  std::vector<Node*> early;
  for (const std::vector<Node*>& part : dependent_maps(maps)) {
    const auto bytes = reduced_bytes(graph, part);
    if (!bytes || *bytes < least_early_bytes || contraction_operations(part) > 0) continue;
    if (all >= operations_per_byte * double(*bytes))
      early.insert(early.end(), part.begin(), part.end());
  }
  std::erase_if(maps, [&](Node* map) { return std::ranges::find(early, map) != early.end(); });
  return early;
}

/// Before the maps of the same phase: maps and the reductions of what they give.
void move_early(Graph& graph, const std::vector<Node*>& early, Node* before) {
  std::vector<Node*> reductions;
  for (Node* node : graph.nodes())
    if (role_of(*node) == Role::reduction &&
        std::ranges::find(early, node->operand(0).node) != early.end())
      reductions.push_back(node);
  for (Node* node : early) graph.move_before(node, before);
  for (Node* node : reductions) graph.move_before(node, before);
}

// --- The pass -----------------------------------------------------------------------------------

/// Drops results of a map that nothing uses, with what only they need.
void drop_unused_results(Graph& graph, Node* map) {
  const auto uses = ir::count_uses(graph);
  const auto is_used = [&](int k) {
    const auto it = uses.find(map->result(k));
    return it != uses.end() && it->second > 0;
  };
  bool all = true;
  for (int k = 0; k < map->result_count(); ++k) all &= is_used(k);
  if (all) return;
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(ir::clone_graph(map->region(0)));
  Graph& body = *regions[0];
  I64s out_axes, in_axes;
  std::vector<Type> types;
  std::vector<Value> old, operands, results;
  for (int k = 0; k < map->result_count(); ++k) {
    if (!is_used(k)) continue;
    results.push_back(body.results[std::size_t(k)]);
    out_axes.push_back(map->attrs.i64s("out_axes")[std::size_t(k)]);
    types.push_back(map->result_types()[std::size_t(k)]);
    old.push_back(map->result(k));
  }
  if (old.empty()) {
    graph.erase(map);
    return;
  }
  body.results = results;
  ir::remove_dead_nodes(body);
  const auto body_uses = ir::count_uses(body);
  for (int k = int(map->operands().size()) - 1; k >= 0; --k) {
    const auto it = body_uses.find(body.argument(k));
    const bool keeps = (it != body_uses.end() && it->second > 0) || (k == 0 && operands.empty());
    if (!keeps) {
      body.erase_argument(k);
      continue;
    }
    operands.insert(operands.begin(), map->operand(std::size_t(k)));
    in_axes.insert(in_axes.begin(), map->attrs.i64s("in_axes")[std::size_t(k)]);
  }
  Node* fresh = ir::create(
      graph, "mr.map", operands,
      {{"placement", map->attrs.text("placement")}, {"in_axes", in_axes}, {"out_axes", out_axes}},
      std::move(regions), types, map, map->location());
  ir::ValueMap<Value> replaced;
  for (std::size_t k = 0; k < old.size(); ++k) replaced[old[k]] = fresh->result(int(k));
  graph.replace_uses(replaced);
  graph.erase(map);
}

void fuse(Graph& graph) {
  for (Node* node : std::vector<Node*>(graph.nodes()))
    for (const auto& region : node->regions()) fuse(*region);
  const bool has_placement =
      std::ranges::any_of(graph.nodes(), [](const Node* n) { return role_of(*n) != Role::other; });
  if (!has_placement) return;
  wrap_reduction_operands(graph);
  const Phases phases(graph);
  order_by_phase(graph, phases);
  std::map<std::pair<int, std::string>, std::vector<Node*>> groups;
  for (Node* node : graph.nodes())
    if (role_of(*node) == Role::map)
      groups[{phases.of_node.at(node), node->attrs.text("placement")}].push_back(node);
  for (auto& [key, maps] : groups) {
    const std::vector<Node*> early = take_early_maps(graph, maps);
    if (!early.empty()) move_early(graph, early, maps.front());
    if (early.size() > 1) merge(graph, early);
    if (maps.size() > 1) merge(graph, maps);
  }
  for (Node* node : std::vector<Node*>(graph.nodes()))
    if (node->is("mr.map")) drop_unused_results(graph, node);
}

void run(ir::Module& module, PassContext&) {
  for (const auto& f : module.functions)
    if (f->is_public) fuse(*f->body);
}

}  // namespace

PassInfo pass_fuse_maps();
PassInfo pass_fuse_maps() {
  return {.name = "fuse-maps",
          .doc = "Merges the maps of each phase, so that what they compute streams together.",
          .needs = Stage::raised,
          .gives = Stage::raised,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
