// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums of floats over a placement are taken in the order of its partitions, so that they have the same bits
// however partitions are split over shards: all of the terms become a value that every shard gathers, of which a reduction
// gives the sum.  What partitions do inside of maps is on one shard in any case.
#include <algorithm>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;

bool is_in_map(const Node& node) {
  for (const Graph* g = node.graph(); g->owner() != nullptr; g = g->owner()->graph())
    if (g->owner()->is("mr.map")) return true;
  return false;
}

/// Of numbers whose sum depends on the order; maxima and sums of integers do not.
bool depends_on_order(const Node& node) {
  if (!node.is("mr.reduce_sum") || node.operands().size() != 1) return false;
  const DType d = node.operand(0).type().dtype;
  return is_float(d) || is_complex(d);
}

/// Combined in an order that follows from the ranks.
bool combines_floats(const Node& node, ir::MeshCollective kind) {
  return (kind == ir::MeshCollective::all_reduce || kind == ir::MeshCollective::reduce_scatter) &&
         std::ranges::any_of(node.operands(), [](const ir::Value& v) {
           return is_float(v.type().dtype) || is_complex(v.type().dtype);
         });
}

void run(ir::Module& module, PassContext& context) {
  if (!context.is_reproducible && !context.options.contains("always")) return;
  for (const auto& f : module.functions) {
    std::vector<Node*> sums;
    ir::walk(*f->body, [&](Node& node) {
      if (const auto kind = ir::mesh_collective(node); kind && combines_floats(node, *kind))
        throw_user_error(
            "--reproducible: expected a program without sums over a mesh, or --no-sharding, found "
            "one",
            node.location());
      if (depends_on_order(node) && !is_in_map(node)) sums.push_back(&node);
    });
    for (Node* node : sums) {
      const ir::Maker make{*node->graph(), node, node->location()};
      f->body->replace_uses(node->result(), make.reduce(Combiner::sum, node->operand(0), {0}));
      node->graph()->erase(node);
    }
  }
}

}  // namespace

PassInfo pass_order_sums();
PassInfo pass_order_sums() {
  return {.name = "order-sums",
          .doc =
              "Takes sums over placements in the order of partitions, where results are to be "
              "reproducible on any number of shards (option always).",
          .needs = Stage::raised,
          .gives = Stage::raised,
          .idempotent = true,
          .options = {"always"},
          .run = run};
}

}  // namespace partita::passes::transforms
