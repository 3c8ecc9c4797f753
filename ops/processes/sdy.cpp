// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Shardy's annotations: for values identities.  What they say about placements and mesh axes is
// read by the passes.
#include "ir/axes/batching.hpp"
#include "ir/axes/removal.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir::ops {
namespace {

Sharding sharding_of(const Node& node) { return *sharding_in(node.attrs.find("sharding")); }

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Sharding* sharding = sharding_in(c.attrs.find("sharding"));
  c.expect(sharding != nullptr, "a sharding #sdy.sharding<@mesh, […]>", "another attribute");
  try {
    check_sharding(*sharding, c.operands[0].rank(), c.module);
  } catch (const Error& error) {
    c.fail(error.what());
  }
  return {c.operands[0]};
}

Dict with_sharding(const Node& node, const Sharding& sharding) {
  Dict attrs = node.attrs;
  attrs.set("sharding", to_attribute(sharding));
  return attrs;
}

/// What is said of the other dimensions holds with a further one, of which nothing is said.
void batch(const BatchJob& job) {
  Sharding sharding = sharding_of(job.node);
  sharding.dims.insert(sharding.dims.begin(), DimSharding{.axes = {}, .is_open = true});
  job.set(0,
          job.maker().op(job.node.name(), {job.with_batch(0)}, with_sharding(job.node, sharding)));
}

Removal remove_axis(const RemovalJob& job) {
  Sharding sharding = sharding_of(job.node);
  const AxisPosition& at = *job.flow.results[0];
  if (is_whole(at)) sharding.dims.erase(sharding.dims.begin() + at.dim);
  return {.results = {job.maker().op(job.node.name(), {job.operands[0]},
                                     with_sharding(job.node, sharding))},
          .why = {}};
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
  op.batch = batch;
  op.remove_axis = remove_axis;
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
