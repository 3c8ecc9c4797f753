// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Between the whole of an array and what each shard of a mesh has of it along one axis: what
// sdy.manual_computation does at its edges, one axis at a time, until `partition` has made all arrays
// those of one shard.
#include "ops/processes/collective_support.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::ir::ops {
namespace {

/// The axis of the mesh that the node is about.
struct PieceAxis {
  std::int64_t place = 0;  ///< of the shard that evaluates
  I64s group;              ///< shards along the axis, in its order
};

PieceAxis axis_of(const EvalContext& c) {
  const std::optional<Mesh> mesh = shard_mesh(c.interpreter.module());
  const std::string& name = c.node.attrs.text("axis");
  const auto axis = mesh ? mesh->find(name) : std::nullopt;
  if (!axis)
    throw_user_error(cat(c.node.name(), ": expected an axis of mr.mesh, found \"", name, "\""),
                     c.node.location());
  for (const I64s& group : groups_along(*mesh, *axis))
    if (const auto self = std::ranges::find(group, grid_of(c).self); self != group.end())
      return {.place = self - group.begin(), .group = group};
  throw_internal_error("a shard is in no group along an axis of its mesh");
}

std::size_t cut_dimension(const InferContext& c) {
  expect_operand_count(c, 1);
  const std::int64_t d = c.attrs.i64("dim");
  c.expect(d >= 0 && d < c.operands[0].rank(), cat("a dimension below ", c.operands[0].rank()),
           cat(d));
  c.expect(c.attrs.i64("pieces") > 0, "at least 1 piece", cat(c.attrs.i64("pieces")));
  const auto mesh = c.module ? shard_mesh(*c.module) : std::nullopt;
  const auto axis = mesh ? mesh->find(c.attrs.text("axis")) : std::nullopt;
  c.expect(!mesh || (axis && mesh->axes[*axis].size == c.attrs.i64("pieces")),
           "an axis of mr.mesh with as many shards as pieces", cat('"', c.attrs.text("axis"), '"'));
  return std::size_t(d);
}

std::vector<Type> infer_slice(const InferContext& c) {
  const std::size_t d = cut_dimension(c);
  Type type = c.operands[0];
  const std::int64_t pieces = c.attrs.i64("pieces");
  c.expect(type.dims[d] % pieces == 0, cat("an extent that ", pieces, " pieces divide"),
           cat(type.dims[d]));
  type.dims[d] /= pieces;
  return {type};
}

std::vector<Type> infer_join(const InferContext& c) {
  const std::size_t d = cut_dimension(c);
  Type type = c.operands[0];
  type.dims[d] *= c.attrs.i64("pieces");
  return {type};
}

Dims start_of(const Type& piece, std::int64_t d, std::int64_t place) {
  Dims start(piece.dims.size(), 0);
  start[std::size_t(d)] = place * piece.dims[std::size_t(d)];
  return start;
}

std::vector<Tensor> eval_slice(const EvalContext& c) {
  HostArray piece(c.result_type());
  const Dims start = start_of(piece.type, c.node.attrs.i64("dim"), axis_of(c).place);
  copy_box(*c.operands[0], sub_view(view_of(c.operands[0]->type), start), piece,
           view_of(piece.type), piece.type.dims);
  return one(std::move(piece));
}

std::vector<Tensor> eval_join(const EvalContext& c) {
  HostArray whole(c.result_type());
  const PieceAxis axis = axis_of(c);
  const auto all = operands_of(c, axis.group);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const HostArray& piece = *all[i][0];
    const Dims start = start_of(piece.type, c.node.attrs.i64("dim"), std::int64_t(i));
    copy_box(piece, view_of(piece.type), whole, sub_view(view_of(whole.type), start),
             piece.type.dims);
  }
  return one(std::move(whole));
}

/// Along other dimensions, indices are independent.
FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  for (std::size_t d = 0; d < rule.operands[0].size(); ++d) {
    if (std::int64_t(d) == node.attrs.i64("dim")) continue;
    const int f = rule.add_factor(node.operand(0).type().dims[d]);
    rule.operands[0][d] = {f};
    rule.results[0][d] = {f};
  }
  replicate_rest(node, rule);
  return rule;
}

OpDef piece_op(std::string name, std::string doc, InferFn infer, EvalFn eval) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  op.attrs = {AttrSpec{.name = "axis", .kind = AttrKind::text},
              dim_attr("dim", {dim_index(DimRole::Side::operand, 0)}),
              AttrSpec{.name = "pieces", .kind = AttrKind::i64}};
  op.infer = std::move(infer);
  op.eval = std::move(eval);
  op.factors = factors;
  op.asks_process = true;
  op.derivative = Derivative::none("is made of computations for the devices of a mesh");
  return op;
}

}  // namespace

void register_mesh_pieces(OpRegistry& registry) {
  registry.add(piece_op("mr.mesh_slice", "This shard's piece of the whole along an axis.",
                        infer_slice, eval_slice));
  OpDef join =
      piece_op("mr.mesh_join", "The whole of the pieces that the shards along an axis have.",
               infer_join, eval_join);
  join.has_side_effect = true;
  registry.add(std::move(join));
}

}  // namespace partita::ir::ops
