// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives over groups of the shards of a mesh, in programs of one shard (decision 0024), and the number of
// the shard along axes of the mesh.  Synchronous ops, and the pair mr.mesh_start and mr.mesh_done that the pass
// start-collectives makes of each.
#include <array>

#include "ir/axes/batching.hpp"
#include "ops/processes/collective_support.hpp"
#include "ops/processes/mesh_meaning.hpp"
#include "ops/support/in_flight.hpp"

namespace partita::ir::ops {
namespace {

/// Whether values of a collective have a leading dimension that counts the members of the group.
struct Stacks {
  bool operand = false, result = false;
};

Stacks stacks_of(MeshCollective kind) {
  return {.operand = kind == MeshCollective::reduce_scatter || kind == MeshCollective::all_to_all,
          .result = kind == MeshCollective::all_gather || kind == MeshCollective::all_to_all};
}

// --- Factors and a further dimension ------------------------------------------------------------

/// The members' dimension needs its whole extent; the others of operand and result go together.
FactorRule factors(const Node& node) {
  const Stacks stacks = stacks_of(*mesh_collective(node));
  FactorRule rule = empty_rule(node);
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    for (std::size_t d = stacks.operand ? 1 : 0; d < rule.operands[k].size(); ++d) {
      const int f = rule.add_factor(node.operand(k).type().dims[d]);
      rule.operands[k][d] = {f};
      rule.results[k][d - std::size_t(stacks.operand) + std::size_t(stacks.result)] = {f};
    }
  replicate_rest(node, rule);
  return rule;
}

/// The further dimension lies behind that of the members.
void batch(const BatchJob& job) {
  const Stacks stacks = stacks_of(*mesh_collective(job.node));
  const Maker m{job.context.into, job.context.before, job.node.location()};
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k) {
    const Value v = job.with_batch(k);
    operands.push_back(stacks.operand ? m.transpose(v, moved_dim(v.type().rank(), 0, 1)) : v);
  }
  Node* made = create(job.context.into, job.node.name(), std::move(operands), job.node.attrs, {},
                      {}, job.context.before, job.node.location());
  for (int k = 0; k < made->result_count(); ++k) {
    const Value v = made->result(k);
    job.set(k, stacks.result ? m.transpose(v, moved_dim(v.type().rank(), 1, 0)) : v);
  }
}

// --- Ops ----------------------------------------------------------------------------------------

AttrSpec groups_attr(bool required) {
  return {.name = "groups", .kind = AttrKind::dense, .required = required};
}
AttrSpec pairs_attr(bool required) {
  return {.name = "pairs", .kind = AttrKind::dense, .required = required};
}
AttrSpec combiner_attr(bool required) {
  return {.name = "combiner", .kind = AttrKind::text, .required = required};
}

OpDef mesh_op(std::string name, std::string doc) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  op.has_side_effect = true;
  op.derivative = Derivative::none("is made after programs are differentiated");
  return op;
}

OpDef synchronous(MeshCollective kind, std::string doc) {
  OpDef op = mesh_op(cat("mr.mesh_", to_string(kind)), std::move(doc));
  op.infer = [kind](const InferContext& c) { return mesh_result_types(c, kind); };
  op.eval = [kind](const EvalContext& c) { return eval_mesh_collective(c, kind); };
  op.factors = factors;
  op.batch = batch;
  op.attrs = {kind == MeshCollective::permute ? pairs_attr(true) : groups_attr(true)};
  if (kind == MeshCollective::all_reduce || kind == MeshCollective::reduce_scatter)
    op.attrs.push_back(combiner_attr(true));
  return op;
}

MeshCollective kind_of_start(const InferContext& c) {
  const std::string& text = c.attrs.text("kind");
  for (int k = 0; k <= int(MeshCollective::permute); ++k)
    if (to_string(MeshCollective(k)) == text) return MeshCollective(k);
  c.fail("a kind all_reduce, all_gather, reduce_scatter, all_to_all or permute",
         cat("\"", text, "\""));
}

OpDef start() {
  OpDef op = mesh_op("mr.mesh_start", "Starts what the op mr.mesh_KIND does.");
  op.attrs = {AttrSpec{.name = "kind", .kind = AttrKind::text}, groups_attr(false),
              pairs_attr(false), combiner_attr(false)};
  op.infer = [](const InferContext& c) -> std::vector<Type> {
    static_cast<void>(mesh_result_types(c, kind_of_start(c)));
    return {Type::token()};
  };
  op.eval = [](const EvalContext& c) {
    c.interpreter.in_flight[&c.node] = eval_mesh_collective(c, *mesh_collective(c.node));
    return one(HostArray(Type::token()));
  };
  return op;
}

OpDef done() {
  OpDef op = mesh_op("mr.mesh_done", "The results of what an mr.mesh_start started.");
  op.infer = infer_done;
  op.eval = eval_done;
  return op;
}

// --- The number of a shard ----------------------------------------------------------------------

/// The names that `axes` lists; a user error for another attribute.
std::vector<std::string> axis_names(const InferContext& c) {
  std::vector<std::string> names;
  for (const Attribute& item : c.attrs.find("axes")->get_if<List>()->items) {
    const auto* name = item.get_if<std::string>();
    if (!name) c.fail("names of axes of the mesh", "another attribute");
    names.push_back(*name);
  }
  return names;
}

std::vector<Type> infer_shard_index(const InferContext& c) {
  expect_operand_count(c, 0);
  const auto mesh = c.module ? shard_mesh(*c.module) : std::nullopt;
  for (const std::string& name : axis_names(c))
    c.expect(!mesh || mesh->find(name).has_value(), "axes of mr.mesh", cat("\"", name, "\""));
  return {Type::scalar(DType::i32)};
}

std::vector<Tensor> eval_shard_index(const EvalContext& c) {
  HostArray index(c.result_type());
  if (const auto mesh = shard_mesh(c.interpreter.module())) {
    const Dims sizes = axis_sizes(*mesh);
    index.data<DType::i32>()[0] =
        std::int32_t(index_along(sizes, grid_coordinates(sizes, grid_of(c).self % mesh->size()),
                                 shard_index_axes(c.node, *mesh)));
  }
  return one(std::move(index));
}

OpDef shard_index() {
  OpDef op;
  op.name = "mr.shard_index";
  op.doc = "The index of this shard along axes of the mesh, the first major; 0 without a mesh.";
  op.attrs = {AttrSpec{.name = "axes", .kind = AttrKind::list}};
  op.infer = infer_shard_index;
  op.eval = eval_shard_index;
  op.derivative = Derivative::none("is an integer");
  return op;
}

}  // namespace

void register_mesh_collectives(OpRegistry& registry) {
  registry.add(synchronous(MeshCollective::all_reduce,
                           "Values combined over the shards of each group, on all of them."));
  registry.add(synchronous(MeshCollective::all_gather,
                           "The operands of the group's shards, stacked by position: T[g, s…]."));
  registry.add(synchronous(
      MeshCollective::reduce_scatter,
      "Slice p of the operand T[g, s…], combined over the group, for the shard at position p."));
  registry.add(synchronous(
      MeshCollective::all_to_all,
      "Of the operand T[g, s…], slice j goes to position j; slice i of the result came from i."));
  registry.add(synchronous(MeshCollective::permute,
                           "The operand of the shard that sends to this one; zeros without one."));
  registry.add(start());
  registry.add(done());
  registry.add(shard_index());
}

}  // namespace partita::ir::ops
