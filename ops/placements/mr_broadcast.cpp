// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/placements/mr_support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(!c.operands[0].is_token, "an array", to_string(c.operands[0]));
  PlacementSize n(c, c.attrs.text("placement"));
  if (!c.module && !c.declared_results.empty()) n.expect("result 0", c.declared_results[0], 0);
  return {with_axis(c.operands[0], 0, n.size())};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  for (std::int64_t i = 0; i < result.type.dims[0]; ++i) put_slice(*c.operands[0], result, 0, i);
  return one(std::move(result));
}

scalar::ExprId lower(const Node&, int, scalar::ExprPool&, std::span<const scalar::ExprId> index,
                     const LoadFn& load) {
  return load(0, index.subspan(1));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Dims& dims = node.result_types()[0].dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    // The placement's dimension is always there: only place and distribute split it.
    const int factor =
        rule.add_factor(dims[d], d == 0 ? FactorKind::replicated : FactorKind::parallel);
    rule.results[0][d] = {factor};
    if (d > 0) rule.operands[0][d - 1] = {factor};
  }
  return rule;
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  return {c.op("mr.reduce_sum", {cotangents[0]}, {{"placement", c.node.attrs.text("placement")}})};
}

}  // namespace

void register_mr_broadcast(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.broadcast";
  op.doc = "The operand, once for each partition of the placement.";
  op.attrs = {placement_attr()};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::passed;
  op.lower = lower;
  op.factors = factors;
  op.samples = {R"(module attributes {mr.placements = {clients = 3}} {
func.func @main(%a: tensor<2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "mr.broadcast"(%a) {placement = "clients"} : (tensor<2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
