// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Maps and reductions over placements become ops on whole arrays, with the partitions as a dimension like any other: what
// a compiler sees of a program whose placements nobody tells it.  Arguments that hold partitions lie along the axis of
// the mesh that has the placement's name, where there is one; all else is for `partition` to find out.
#include <algorithm>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/factor_transform.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

/// Says of an argument that dimension `dim` lies along an axis; nothing where something is said already.
class ArgumentShardings {
 public:
  ArgumentShardings(const ir::Module& module, ir::Function& f) : f_(f) {
    f_.arg_attrs.resize(std::size_t(f_.body->argument_count()));
    for (const ir::ModuleItem& item : module.items) {
      if (item.op != "sdy.mesh" || mesh_) continue;
      mesh_ = ir::find_mesh(module, item.symbol);
      symbol_ = item.symbol;
    }
  }

  void state(Value v, std::int64_t dim, const std::string& axis) {
    if (!f_.body->is_argument(v) || !mesh_ || !mesh_->find(axis)) return;
    ir::Dict& attrs = f_.arg_attrs[std::size_t(v.index)];
    if (attrs.contains("sdy.sharding")) return;
    ir::Sharding sharding{
        .mesh = symbol_, .inner = {}, .dims = {}, .replicated = {}, .unreduced = {}};
    sharding.dims.resize(v.type().dims.size());
    for (ir::DimSharding& d : sharding.dims) d.is_open = true;
    sharding.dims[std::size_t(dim)] = {.axes = {{.name = axis}}, .is_open = false, .priority = {}};
    attrs.set("sdy.sharding", ir::to_attribute(sharding));
  }

 private:
  ir::Function& f_;
  std::optional<ir::Mesh> mesh_;
  std::string symbol_;
};

/// `v` with dimension `from` at `to`.
Value moved(const Maker& make, Value v, std::int64_t from, std::int64_t to) {
  I64s permutation;
  for (std::int64_t d = 0; d < v.type().rank(); ++d)
    if (d != from) permutation.push_back(d);
  permutation.insert(permutation.begin() + to, from);
  return make.transpose(v, permutation);
}

class Vectorizer {
 public:
  Vectorizer(const ir::Module& module, ArgumentShardings& shardings)
      : module_(module), shardings_(shardings) {}

  /// Inner placements first, so that bodies hold ordinary ops alone.
  void run(Graph& graph) {
    for (Node* node : std::vector<Node*>(graph.nodes())) {
      for (const auto& region : node->regions()) run(*region);
      std::vector<Value> values = vectorized(graph, *node);
      if (values.empty()) continue;
      ir::ValueMap<Value> replaced;
      for (std::size_t k = 0; k < values.size(); ++k) replaced[node->result(int(k))] = values[k];
      graph.replace_uses(replaced);
      graph.erase(node);
    }
  }

 private:
  /// What stands for the node's results; nothing where it stays.
  std::vector<Value> vectorized(Graph& graph, Node& node) {
    const Maker make{graph, &node, node.location()};
    if (node.is("mr.map")) return map(make, node);
    if (node.is("mr.broadcast")) return {spread(make, node)};
    if (!ir::is_reduction(node)) return {};
    const Combiner by = *find_combiner(&CombinerInfo::reduction, node.name());
    shardings_.state(node.operand(0), 0, node.attrs.text("placement"));
    return {make.reduce(by, node.operand(0), {0})};
  }

  static Value spread(const Maker& make, const Node& node) {
    I64s at(node.operand(0).type().dims.size());
    for (std::size_t d = 0; d < at.size(); ++d) at[d] = std::int64_t(d) + 1;
    return make.broadcast(node.operand(0), node.result_types()[0].dims, at);
  }

  std::vector<Value> map(const Maker& make, Node& node) {
    const std::string placement = node.attrs.text("placement");
    const std::int64_t n = ir::declared_size(module_, placement);
    const Graph& body = node.region(0);
    const I64s &in = node.attrs.i64s_or_empty("in_axes"),
               &out = node.attrs.i64s_or_empty("out_axes");
    ir::BatchMap values;
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const std::int64_t axis = in.empty() ? 0 : in[k];
      Value v = node.operand(k);
      if (axis >= 0) shardings_.state(v, axis, placement);
      if (axis > 0) v = moved(make, v, axis, 0);
      values[body.argument(int(k))] = {v, axis >= 0};
    }
    const auto index = [&](const Node& inner, ir::BatchMap& m, const ir::BatchContext& c) {
      if (!inner.is("mr.partition_index") || inner.attrs.text("placement", placement) != placement)
        return false;
      const Maker before{c.into, c.before};
      m[const_cast<Node&>(inner).result()] = {before.iota({.dtype = DType::i32, .dims = {n}}, 0),
                                              true};
      return true;
    };
    const ir::BatchContext context{
        .into = make.graph, .size = n, .before = make.before, .special = index};
    std::vector<Value> results;
    const std::vector<ir::BatchedValue> made = ir::batch_body(body, values, context);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const std::int64_t axis = out.empty() ? 0 : out[k];
      if (axis < 0)
        results.push_back(made[k].batched ? make.reshape(make.part(made[k].value, 0, 0, 1),
                                                         node.result_types()[k].dims)
                                          : made[k].value);
      else
        results.push_back(moved(make, ir::batched(made[k], context), 0, axis));
    }
    return results;
  }

  const ir::Module& module_;
  ArgumentShardings& shardings_;
};

void run(ir::Module& module, PassContext& context) {
  ir::Function& f = module.entry(context.function);
  ArgumentShardings shardings(module, f);
  Vectorizer(module, shardings).run(*f.body);
  ir::remove_dead_nodes(*f.body);
}

}  // namespace

PassInfo pass_vectorize_maps();
PassInfo pass_vectorize_maps() {
  return {.name = "vectorize-maps",
          .doc = "Makes maps and reductions ops on whole arrays, whose partitions a mesh may cut.",
          .needs = Stage::raised,
          .gives = Stage::raised,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
