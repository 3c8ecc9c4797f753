// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/own_values.hpp"

#include <algorithm>
#include <set>

#include "ir/axes/axis_regions.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/host_call.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

namespace {

/// How the lists of shards of a collective lie to an axis.
enum class Meeting : std::uint8_t {
  apart,  ///< alike at each place of the axis, of shards at one place
  all,    ///< of shards at all places of the axis, whatever else they differ in
  mixed,
};

Meeting meeting(const std::vector<I64s>& lists, const MeshCut& cut) {
  bool is_apart = true, is_all = true;
  // Lists by place of the axis, with their shards' numbers at place 0.
  std::vector<std::set<I64s>> at(std::size_t(cut.size()));
  for (const I64s& list : lists) {
    std::set<std::int64_t> members(list.begin(), list.end());
    I64s moved;
    const std::int64_t place = cut.mesh.coordinates(list.front())[cut.axis];
    for (const std::int64_t shard : list) {
      I64s index = cut.mesh.coordinates(shard);
      is_apart = is_apart && index[cut.axis] == place;
      for (index[cut.axis] = 0; index[cut.axis] < cut.size(); ++index[cut.axis])
        is_all = is_all && members.contains(cut.mesh.device(index));
      index[cut.axis] = 0;
      moved.push_back(cut.mesh.device(index));
    }
    at[std::size_t(place)].insert(std::move(moved));
  }
  is_apart = is_apart && std::ranges::all_of(at, [&](const auto& l) { return l == at.front(); });
  return is_apart ? Meeting::apart : is_all ? Meeting::all : Meeting::mixed;
}

/// Nothing for nodes that are no collectives of the mesh.
std::optional<Meeting> meeting_of(const Node& node, const MeshCut& cut) {
  const auto kind = ir::mesh_collective(node);
  if (!kind) return std::nullopt;
  const bool permutes = *kind == ir::MeshCollective::permute;
  const auto lists = ir::id_lists(node.attrs, permutes ? "pairs" : "groups");
  if (!lists || lists->empty()) return Meeting::apart;
  const Meeting found = meeting(*lists, cut);
  const bool is_same =
      *kind == ir::MeshCollective::all_reduce || *kind == ir::MeshCollective::all_gather;
  return found == Meeting::all && !is_same ? Meeting::mixed : found;
}

}  // namespace

bool is_piece_op(const Node& node) { return node.is("mr.mesh_slice") || node.is("mr.mesh_join"); }

OwnValues::OwnValues(const Graph& body, const MeshCut& cut) : cut_(cut) {
  while (visit(body)) {
  }
}

bool OwnValues::has_own_operand(const Node& node) const {
  return std::ranges::any_of(node.operands(), [&](Value v) { return contains(v); });
}

bool OwnValues::makes_own(const Node& node) const {
  if (is_piece_op(node) && node.attrs.text("axis") == cut_.name()) return node.is("mr.mesh_slice");
  if (node.is("mr.shard_index")) {
    const std::vector<int> axes = ir::shard_index_axes(node, cut_.mesh);
    return std::ranges::find(axes, int(cut_.axis)) != axes.end();
  }
  if (ir::is_host_call(node) && ir::read_host_call(node.attrs)->once) return true;
  if (const auto met = meeting_of(node, cut_); met && *met != Meeting::apart)
    return *met == Meeting::mixed;
  return has_own_operand(node);
}

bool OwnValues::holds_whole(const Node& node) const {
  const auto met = meeting_of(node, cut_);
  if (met && *met != Meeting::apart) return true;
  if (has_own_operand(node)) return true;
  for (int k = 0; k < node.result_count(); ++k)
    if (contains({const_cast<Node*>(&node), k})) return true;
  return false;
}

/// Where shards do not take the same way, they cannot meet.
bool OwnValues::add_all(const Graph& graph) {
  bool changed = false;
  for (const Value& v : graph.arguments()) changed |= add(v);
  for (Node* node : graph.nodes()) {
    for (int k = 0; k < node->result_count(); ++k) changed |= add(node->result(k));
    for (const auto& region : node->regions()) changed |= add_all(*region);
  }
  return changed;
}

bool OwnValues::visit_loop(Node& node) {
  bool changed = false;
  const Graph &condition = node.region(0), &body = node.region(1);
  const bool is_own = contains(condition.results[0]);
  if (is_own) changed |= add_all(condition) || add_all(body);
  for (int k = 0; k < node.result_count(); ++k) {
    const bool is_carried =
        is_own || contains(node.operand(std::size_t(k))) || contains(body.results[std::size_t(k)]);
    for (const Value v : {condition.argument(k), body.argument(k), node.result(k)})
      changed |= add_if(is_carried, v);
  }
  return changed;
}

bool OwnValues::visit_branches(Node& node) {
  bool changed = false;
  const bool is_own = contains(node.operand(0));
  for (const auto& region : node.regions()) {
    if (is_own) changed |= add_all(*region);
    for (int k = 0; k < node.result_count(); ++k)
      changed |= add_if(is_own || contains(region->results[std::size_t(k)]), node.result(k));
  }
  return changed;
}

bool OwnValues::visit_map(Node& node) {
  bool changed = false;
  const Graph& body = node.region(0);
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    changed |= add_if(contains(node.operand(k)), body.argument(int(k)));
  for (std::size_t k = 0; k < body.results.size(); ++k)
    changed |= add_if(contains(body.results[k]), node.result(int(k)));
  return changed;
}

bool OwnValues::visit(Node& node) {
  if (node.is("stablehlo.while")) return visit_loop(node);
  if (ir::is_control_flow(node)) return visit_branches(node);
  if (node.is("mr.map")) return visit_map(node);
  bool changed = false;
  if (makes_own(node))
    for (int k = 0; k < node.result_count(); ++k) changed |= add(node.result(k));
  return changed;
}

bool OwnValues::visit(const Graph& graph) {
  bool changed = false;
  for (Node* node : graph.nodes()) {
    if (node->op().regions_capture || node->is("mr.map"))
      for (const auto& region : node->regions()) changed |= visit(*region);
    changed |= visit(*node);
  }
  return changed;
}

}  // namespace partita::passes
