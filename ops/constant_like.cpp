// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

double value_of(const Dict& attrs) {
  const Attribute* value = attrs.find("value");
  if (const auto* number = value->get_if<Float>()) return number->value;
  if (const auto* number = value->get_if<Integer>()) return double(number->value);
  if (const auto* truth = value->get_if<bool>()) return *truth ? 1 : 0;
  return 0;
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Attribute& value = *c.attrs.find("value");
  c.expect(value.get_if<Float>() || value.get_if<Integer>() || value.get_if<bool>(),
           "a number as value", "another attribute");
  return {c.operands[0]};
}

std::vector<Tensor> eval(const EvalContext& c) {
  return one(make_splat(c.result_type(), value_of(c.node.attrs))->to_array());
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool, std::span<const scalar::ExprId>,
                     const LoadFn&) {
  return pool.constant_of(node.result_types()[0].dtype, value_of(node.attrs));
}

FactorRule factors(const Node& node) {
  return dimwise_rule(node, [](std::size_t) { return true; });
}

}  // namespace

void register_constant_like(OpRegistry& registry) {
  OpDef op;
  op.name = "chlo.constant_like";
  op.doc = "A number in the type and shape of the operand.";
  op.attrs = {AttrSpec{.name = "value", .kind = AttrKind::any}};
  op.infer = infer;
  op.eval = eval;
  // Zero: the operand gives the shape alone.
  const auto zero = [](DerivativeContext&, const Values&) { return Values(1); };
  op.derivative = Derivative::rules(zero, zero);
  op.shape = KernelShape::loops;
  op.lower = lower;
  op.elements = Elements::generated;
  op.factors = factors;
  op.samples = {R"(func.func @main(%a: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = "chlo.constant_like"(%a) <{value = 2.5 : f32}> : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
