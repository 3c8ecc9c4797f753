// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums of floats over a placement are taken in the order of its partitions, and those over a mesh in the order of the
// positions in a group, so that they have the same bits however partitions and shards are split over ranks.  Terms of a
// placement become a value that every shard gathers, of which a reduction gives the sum; what partitions do inside of maps
// is on one shard in any case.  Terms of a mesh, whose shards are as many on any ranks, travel to the shard that adds them.
#include <algorithm>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::MeshCollective;
using ir::Node;
using ir::Value;

bool is_in_map(const Node& node) {
  for (const Graph* g = node.graph(); g->owner() != nullptr; g = g->owner()->graph())
    if (g->owner()->is("mr.map")) return true;
  return false;
}

/// Sums of integers are the same in any order.
bool rounds(DType d) { return is_float(d) || is_complex(d); }

// --- Placements ---------------------------------------------------------------------------------

bool depends_on_order(const Node& node) {
  return node.is("mr.reduce_sum") && node.operands().size() == 1 &&
         rounds(node.operand(0).type().dtype) && !is_in_map(node);
}

Value placement_sum(const Node& sum, const ir::Maker& make) {
  return make.reduce(Combiner::sum, sum.operand(0), {0});
}

// --- Meshes -------------------------------------------------------------------------------------

/// Up to as many bytes of all terms together, every shard takes the whole sum: one call is shorter than two.
constexpr std::int64_t gathered_bytes = std::int64_t(64) << 10;

std::int64_t members_of(const Node& node) {
  return std::ssize(ir::id_lists(node.attrs, "groups")->at(0));
}

/// A sum of two has one value in either order.
bool is_ordered_sum(const Node& node) {
  const auto kind = ir::mesh_collective(node);
  return (kind == MeshCollective::all_reduce || kind == MeshCollective::reduce_scatter) &&
         node.attrs.text("combiner") == info(Combiner::sum).mr && members_of(node) > 2 &&
         std::ranges::any_of(node.operands(),
                             [](const Value& v) { return rounds(v.type().dtype); });
}

class MeshSum {
 public:
  MeshSum(const Node& node, const ir::Maker& make)
      : make_(make), groups_(*node.attrs.find("groups")), members_(members_of(node)) {}

  /// The shard's slice of the sum of what all bring.
  [[nodiscard]] Value scattered(Value slices) const {
    return make_.reduce(Combiner::sum, meet("mr.mesh_all_to_all", slices), {0});
  }
  /// The sum on every shard.  Of a long one each shard adds a part, in the order in which it would add the whole.
  [[nodiscard]] Value on_all(Value term) const {
    const Type& type = term.type();
    if (members_ * std::int64_t(type.bytes()) <= gathered_bytes)
      return make_.reduce(Combiner::sum, meet("mr.mesh_all_gather", term), {0});
    const std::int64_t count = type.count(), part = (count + members_ - 1) / members_;
    const Value flat = padded(make_.reshape(term, {count}), part * members_);
    const Value own = scattered(make_.reshape(flat, {members_, part}));
    const Value all = make_.reshape(meet("mr.mesh_all_gather", own), {part * members_});
    return make_.reshape(make_.part(all, 0, 0, count), type.dims);
  }

 private:
  [[nodiscard]] Value meet(std::string_view op, Value v) const {
    return make_.op(op, {v}, {{"groups", groups_}});
  }
  [[nodiscard]] Value padded(Value v, std::int64_t count) const {
    const Type& type = v.type();
    if (type.dims[0] == count) return v;
    return make_.op("stablehlo.pad", {v, make_.splat(Type::scalar(type.dtype), 0)},
                    {{"edge_padding_low", ir::I64s{0}},
                     {"edge_padding_high", ir::I64s{count - type.dims[0]}},
                     {"interior_padding", ir::I64s{0}}});
  }

  ir::Maker make_;
  ir::Attribute groups_;
  std::int64_t members_;
};

/// Of each operand: what rounds in order, the others combined as before.
std::vector<Value> mesh_sums(const Node& node, const ir::Maker& make) {
  const MeshSum sum(node, make);
  const bool is_scattered = ir::mesh_collective(node) == MeshCollective::reduce_scatter;
  std::vector<Value> results;
  for (const Value& v : node.operands())
    if (!rounds(v.type().dtype))
      results.push_back(make.op(node.name(), {v}, node.attrs));
    else
      results.push_back(is_scattered ? sum.scattered(v) : sum.on_all(v));
  return results;
}

// --- The pass -----------------------------------------------------------------------------------

void run(ir::Module& module, PassContext& context) {
  if (!context.is_reproducible && !context.options.contains("always")) return;
  for (const auto& f : module.functions) {
    std::vector<Node*> sums;
    ir::walk(*f->body, [&](Node& node) {
      if (depends_on_order(node) || is_ordered_sum(node)) sums.push_back(&node);
    });
    for (Node* node : sums) {
      const ir::Maker make{*node->graph(), node, node->location()};
      const std::vector<Value> results = depends_on_order(*node)
                                             ? std::vector{placement_sum(*node, make)}
                                             : mesh_sums(*node, make);
      for (std::size_t k = 0; k < results.size(); ++k)
        f->body->replace_uses(node->result(int(k)), results[k]);
      node->graph()->erase(node);
    }
  }
}

}  // namespace

PassInfo pass_order_sums();
PassInfo pass_order_sums() {
  return {
      .name = "order-sums",
      .doc =
          "Takes sums over placements in the order of partitions and sums over a mesh in that of "
          "its "
          "groups, where results are to be reproducible on any number of ranks (option always).",
      .needs = Stage::raised,
      .gives = Stage::raised,
      .idempotent = true,
      .options = {"always"},
      .run = run};
}

}  // namespace partita::passes::transforms
