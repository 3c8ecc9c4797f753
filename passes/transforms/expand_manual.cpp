// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Computations for the devices of a mesh (sdy.manual_computation) become pieces of whole arrays, what the
// region does with them, and wholes of the results' pieces, in the program around them.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/manual_computation.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/process_grid.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/named_shardings.hpp"
#include "passes/rewrites/mesh_collectives.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

bool is_manual(const Node& node) { return node.is("sdy.manual_computation"); }

std::vector<Node*> manual_nodes(const Graph& graph) {
  std::vector<Node*> found;
  ir::walk(graph, [&](Node& node) {
    if (is_manual(node)) found.push_back(&node);
  });
  return found;
}

/// In program order.
std::vector<Node*> outermost_manual_nodes(const Graph& graph) {
  std::vector<Node*> found;
  for (Node* node : graph.nodes()) {
    if (is_manual(*node)) {
      found.push_back(node);
      continue;
    }
    for (const auto& region : node->regions())
      for (Node* inner : outermost_manual_nodes(*region)) found.push_back(inner);
  }
  return found;
}

const std::vector<ir::Sharding>& shardings_of(const Node& node, const char* name) {
  return ir::shardings_in(node.attrs.find(name));
}

/// Why a computation cannot be taken apart axis by axis; empty where it can.
std::string why_not_pieces(const ir::Module& module, const Node& node) {
  const auto manual = ir::read_manual_computation(node.attrs, &module);
  const auto declared = ir::meshes(module);
  if (!manual || declared.empty() || manual->mesh != declared[0])
    return "its mesh is not the module's";
  std::string why;
  ir::walk(node.region(0), [&](Node& inner) {
    if (why.empty()) why = why_not_over_mesh(inner, manual->mesh);
  });
  return why;
}

class Expansion {
 public:
  /// `replaced` has the values of computations that were expanded before, and gets this one's.
  Expansion(const ir::Module& module, Node& node, ir::ValueMap<Value>& replaced)
      : node_(node),
        replaced_(replaced),
        manual_(*ir::read_manual_computation(node.attrs, &module)),
        make_{*node.graph(), &node, node.location()} {}

  /// Puts the computation's nodes before it.
  void run() {
    const Graph& region = node_.region(0);
    const auto &in = shardings_of(node_, "in_shardings"),
               &out = shardings_of(node_, "out_shardings");
    ir::ValueMap<Value> map;
    for (std::size_t k = 0; k < in.size(); ++k)
      map[region.argument(int(k))] = piece(stated(current(node_.operand(k)), in[k]), in[k]);
    const std::vector<Value> values = ir::clone_body(region, *node_.graph(), map, &node_);
    for (std::size_t k = 0; k < out.size(); ++k)
      replaced_[node_.result(int(k))] = stated(whole(current(values[k]), out[k]), out[k]);
  }

 private:
  [[nodiscard]] Value current(Value v) const {
    const auto found = replaced_.find(v);
    return found == replaced_.end() ? v : found->second;
  }
  [[nodiscard]] bool is_cut(const ir::AxisRef& ref) const {
    return std::ranges::find(manual_.axes, ref.name) != manual_.axes.end() && size_of(ref) != 1;
  }
  [[nodiscard]] std::int64_t size_of(const ir::AxisRef& ref) const {
    return manual_.mesh.axes[*manual_.mesh.find(ref.name)].size;
  }
  [[nodiscard]] Value edge(const char* op, Value v, std::size_t d, const ir::AxisRef& ref) const {
    return make_.op(op, {v},
                    {{"axis", ref.name}, {"dim", std::int64_t(d)}, {"pieces", size_of(ref)}});
  }

  /// What the sharding says of axes that are not manual.
  [[nodiscard]] Value stated(Value v, ir::Sharding sharding) const {
    bool says_more = false;
    for (ir::DimSharding& dim : sharding.dims) {
      std::erase_if(dim.axes, [&](const ir::AxisRef& ref) { return is_cut(ref); });
      says_more |= !dim.axes.empty();
      dim.is_open = true;
    }
    sharding.replicated.clear();
    if (!says_more) return v;
    return make_.op("sdy.sharding_constraint", {v}, {{"sharding", ir::to_attribute(sharding)}});
  }

  [[nodiscard]] Value piece(Value v, const ir::Sharding& sharding) const {
    for (std::size_t d = 0; d < sharding.dims.size(); ++d)
      for (const ir::AxisRef& ref : sharding.dims[d].axes)
        if (is_cut(ref)) v = edge("mr.mesh_slice", v, d, ref);
    return v;
  }

  [[nodiscard]] Value whole(Value v, const ir::Sharding& sharding) const {
    for (std::size_t d = 0; d < sharding.dims.size(); ++d)
      for (auto ref = sharding.dims[d].axes.rbegin(); ref != sharding.dims[d].axes.rend(); ++ref)
        if (is_cut(*ref)) v = edge("mr.mesh_join", v, d, *ref);
    return v;
  }

  Node& node_;
  ir::ValueMap<Value>& replaced_;
  ir::ManualComputation manual_;
  ir::Maker make_;
};

/// Those that are in no other, then those that were in them.
void expand(const ir::Module& module, ir::Function& f) {
  for (std::vector<Node*> nodes = outermost_manual_nodes(*f.body); !nodes.empty();
       nodes = outermost_manual_nodes(*f.body)) {
    ir::ValueMap<Value> replaced;
    for (Node* node : nodes) Expansion(module, *node, replaced).run();
    f.body->replace_uses(replaced);
    for (Node* node : nodes) node->graph()->erase(node);
  }
}

/// What stands against it in the whole program; empty where nothing does.
std::string why_not(const ir::Module& module, const ir::Function& f) {
  const ir::GridSize grid = ir::grid_size(module);
  if (grid.replicas > 1) return "the program has replicas";
  if (!names_one_mesh(module)) return "shardings name several meshes, or parts of axes";
  if (ir::needs_processes(module, f)) return "the program asks for its process";
  for (const auto& other : module.functions)
    if (other.get() != &f && !manual_nodes(*other->body).empty())
      return "a function that is called has computations for devices";
  for (const Node* node : manual_nodes(*f.body))
    if (std::string why = why_not_pieces(module, *node); !why.empty()) return why;
  return {};
}

void run(ir::Module& module, PassContext& context) {
  ir::Function& f = module.entry(context.function);
  if (!context.shards || manual_nodes(*f.body).empty() || ir::shard_mesh(module)) return;
  if (const std::string why = why_not(module, f); !why.empty()) {
    context.remarks.push_back(
        cat("computations for the devices of a mesh run on one device, because ", why));
    return;
  }
  ir::Mesh mesh = ir::meshes(module)[0];
  expand(module, f);
  use_mesh_collectives(*f.body, mesh);
  mesh.device_ids.clear();
  ir::set_shard_mesh(module, mesh);
}

}  // namespace

PassInfo pass_expand_manual();
PassInfo pass_expand_manual() {
  return {.name = "expand-manual",
          .doc = "Makes computations for the devices of a mesh pieces of the program around them.",
          .needs = Stage::inlined,
          .gives = Stage::inlined,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
