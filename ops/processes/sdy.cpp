// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Shardy's annotations: for values identities.  What they say about placements and mesh axes is
// read by the passes.
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.attrs.find("sharding")->get_if<RawAttr>() != nullptr,
           "a sharding #sdy.sharding<@mesh, […]>", "another attribute");
  return {c.operands[0]};
}

std::vector<Tensor> eval(const EvalContext& c) { return {c.operands[0]}; }

scalar::ExprId lower(const Node&, int, scalar::ExprPool&, std::span<const scalar::ExprId> index,
                     const LoadFn& load) {
  return load(0, index);
}

FactorRule factors(const Node& node) {
  return dimwise_rule(node, [](std::size_t) { return true; });
}

/// The cotangent lies as the primal does.
Values vjp(DerivativeContext& c, const Values& cotangents) { return c.same(cotangents); }

}  // namespace

void register_sdy(OpRegistry& registry) {
  OpDef op;
  op.name = "sdy.sharding_constraint";
  op.doc = "Its operand, with a statement of how it shall lie over the mesh.";
  op.attrs = {AttrSpec{.name = "sharding", .kind = AttrKind::any}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::passed;
  op.lower = lower;
  op.factors = factors;
  op.may_alias = {{0, 0}};
  registry.add(op);
  op.name = "sdy.reshard";
  registry.add(std::move(op));
  OpDef group;
  group.name = "sdy.sharding_group";
  group.doc = "A statement that values of one group lie over the mesh alike.";
  group.attrs = {AttrSpec{.name = "group_id", .kind = AttrKind::i64}};
  group.infer = [](const InferContext& c) -> std::vector<Type> {
    expect_operand_count(c, 1);
    return {};
  };
  group.eval = [](const EvalContext&) -> std::vector<Tensor> { return {}; };
  group.derivative = Derivative::none("has no result");
  registry.add(std::move(group));
}

}  // namespace partita::ir::ops
