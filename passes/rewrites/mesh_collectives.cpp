// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/rewrites/mesh_collectives.hpp"

#include <algorithm>
#include <set>

#include "ir/axes/dim_edit.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {

using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

const std::set<std::string_view>& known_collectives() {
  static const std::set<std::string_view> names{
      "stablehlo.all_reduce", "stablehlo.all_gather",         "stablehlo.reduce_scatter",
      "stablehlo.all_to_all", "stablehlo.collective_permute", "stablehlo.partition_id",
      "stablehlo.replica_id"};
  return names;
}

/// The groups or pairs, in numbers of shards; none of what has no operands.
std::vector<I64s> shard_lists(const Node& node, const ir::Mesh& mesh) {
  if (node.operands().empty()) return {};
  std::vector<I64s> all = ir::process_groups(node, 1, mesh.size());
  if (mesh.device_ids.empty()) return all;
  for (I64s& list : all)
    for (std::int64_t& id : list)
      id = std::ranges::find(mesh.device_ids, id) - mesh.device_ids.begin();
  return all;
}

class OverMesh {
 public:
  OverMesh(Node& node, const ir::Mesh& mesh)
      : node_(node),
        mesh_(mesh),
        make_{*node.graph(), &node, node.location()},
        lists_(shard_lists(node, mesh)) {}

  [[nodiscard]] std::vector<Value> values() const {
    if (node_.is("stablehlo.partition_id")) return {partition_id()};
    if (node_.is("stablehlo.replica_id")) return {make_.splat(node_.result_types()[0], 0)};
    if (node_.is("stablehlo.collective_permute"))
      return {make_.op("mr.mesh_permute", {node_.operand(0)}, {{"pairs", ir::id_table(lists_)}})};
    if (node_.is("stablehlo.all_reduce")) return all_reduce();
    std::vector<Value> results;
    for (const Value& v : node_.operands()) results.push_back(moved(v));
    return results;
  }

 private:
  [[nodiscard]] ir::Dict groups() const { return {{"groups", ir::id_table(lists_)}}; }
  [[nodiscard]] ir::Dict combining() const {
    ir::Dict attrs = groups();
    attrs.set("combiner", std::string(info(*ir::simple_combiner(node_.region(0))).mr));
    return attrs;
  }

  [[nodiscard]] Value partition_id() const {
    ir::List axes;
    for (const ir::MeshAxis& axis : mesh_.axes) axes.items.emplace_back(axis.name);
    Value shard = make_.op("mr.shard_index", {}, {{"axes", axes}});
    if (!mesh_.device_ids.empty()) {
      const Value ids = make_.constant(ir::id_table({mesh_.device_ids}));
      const Value row =
          make_.op("stablehlo.dynamic_slice", {ids, make_.splat(shard.type(), 0), shard},
                   {{"slice_sizes", I64s{1, 1}}});
      shard = make_.reshape(row, {});
    }
    return make_.convert(shard, DType::ui32);
  }

  [[nodiscard]] std::vector<Value> all_reduce() const {
    Node* made = ir::create(*node_.graph(), "mr.mesh_all_reduce", node_.operands(), combining(), {},
                            {}, &node_, node_.location());
    std::vector<Value> results;
    for (int k = 0; k < made->result_count(); ++k) results.push_back(made->result(k));
    return results;
  }

  /// Dimension d as [count, rest] with count in front of all.
  [[nodiscard]] Value split(Value v, std::size_t d, std::int64_t count) const {
    Dims dims = v.type().dims;
    dims[d] /= count;
    dims.insert(dims.begin() + std::ptrdiff_t(d), count);
    return make_.transpose(make_.reshape(v, dims),
                           ir::moved_dim(std::ssize(dims), std::int64_t(d), 0));
  }
  /// The leading dimension in front of dimension d, as one with it.
  [[nodiscard]] Value merge(Value v, std::size_t d) const {
    Dims dims(v.type().dims.begin() + 1, v.type().dims.end());
    dims[d] *= v.type().dims[0];
    return make_.reshape(make_.transpose(v, ir::moved_dim(v.type().rank(), 0, std::int64_t(d))),
                         dims);
  }
  [[nodiscard]] Value moved(Value v) const {
    const std::int64_t members = std::ssize(lists_[0]);
    const auto dim = [&](const char* name) { return std::size_t(node_.attrs.i64(name)); };
    if (node_.is("stablehlo.all_gather"))
      return merge(make_.op("mr.mesh_all_gather", {v}, groups()), dim("all_gather_dim"));
    if (node_.is("stablehlo.reduce_scatter"))
      return make_.op("mr.mesh_reduce_scatter", {split(v, dim("scatter_dimension"), members)},
                      combining());
    const Value parts = split(v, dim("split_dimension"), members);
    return merge(make_.op("mr.mesh_all_to_all", {parts}, groups()), dim("concat_dimension"));
  }

  Node& node_;
  const ir::Mesh& mesh_;
  Maker make_;
  std::vector<I64s> lists_;
};

}  // namespace

bool is_process_op(const Node& node) {
  return known_collectives().contains(node.name()) ||
         node.name().starts_with("stablehlo.collective_");
}

std::string why_not_over_mesh(const Node& node, const ir::Mesh& mesh) {
  if (!is_process_op(node)) return {};
  if (!known_collectives().contains(node.name())) return cat(node.name(), " is done on one device");
  if (node.operands().empty()) return {};
  const bool combines = !node.regions().empty();
  const auto combiner = combines ? ir::simple_combiner(node.region(0)) : std::nullopt;
  for (const Value& v : node.operands())
    if (combines && (!combiner || !ir::is_combined_over_partitions(*combiner, v.type().dtype)))
      return cat(node.name(), " combines by a region of its own");
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    if (node.operand(k).type().dtype != node.result_types()[k].dtype)
      return cat(node.name(), " changes its operands' type");
  if (node.is("stablehlo.collective_permute")) return {};
  const std::vector<I64s> groups = shard_lists(node, mesh);
  std::set<std::int64_t> shards;
  for (const I64s& group : groups) {
    shards.insert(group.begin(), group.end());
    if (group.size() != groups[0].size()) return cat(node.name(), " has groups of different sizes");
  }
  if (std::ssize(shards) != mesh.size()) return cat(node.name(), " leaves out devices");
  return {};
}

void use_mesh_collectives(ir::Graph& graph, const ir::Mesh& mesh) {
  ir::ValueMap<Value> replaced;
  std::vector<Node*> done;
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions())
      if (!is_process_op(*node)) use_mesh_collectives(*region, mesh);
    if (!is_process_op(*node)) continue;
    for (std::size_t k = 0; k < node->operands().size(); ++k)
      if (const auto found = replaced.find(node->operand(k)); found != replaced.end())
        node->set_operand(k, found->second);
    const std::vector<Value> values = OverMesh(*node, mesh).values();
    for (std::size_t k = 0; k < values.size(); ++k) replaced[node->result(int(k))] = values[k];
    done.push_back(node);
  }
  graph.replace_uses(replaced);
  for (auto node = done.rbegin(); node != done.rend(); ++node) graph.erase(*node);
}

}  // namespace partita::passes
