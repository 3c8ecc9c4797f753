// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/support.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type &operand = c.operands[0], &result = c.declared()[0];
  c.expect(operand.dims == result.dims,  // (C1)
           cat("a result of the shape of ", to_string(operand)), to_string(result));
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  if (c.operands[0]->type == c.result_type()) return {c.operands[0]};
  return one(convert(*c.operands[0], c.result_type().dtype));
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  return pool.convert(load(0, index), node.result_types()[0].dtype);
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  return {c.convert(cotangents[0], c.node.operand(0).type().dtype)};
}

}  // namespace

void register_convert(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.convert";
  op.doc =
      "Elements as another element type: floats to integers towards zero, saturating, NaN to 0; "
      "integers wrap; "
      "anything but zero is true; of complex numbers the real part.";
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::elementwise;
  op.lower = lower;
  op.factors = pointwise_factors;
  op.samples = {
      R"(func.func @main(%a: tensor<2x6xf32>, %b: tensor<3xi32>, %c: tensor<i1>) -> (tensor<2x6xi8>, tensor<3xbf16>, tensor<f32>, tensor<2x6xi1>) {
  %0 = stablehlo.convert %a : (tensor<2x6xf32>) -> tensor<2x6xi8>
  %1 = stablehlo.convert %b : (tensor<3xi32>) -> tensor<3xbf16>
  %2 = stablehlo.convert %c : (tensor<i1>) -> tensor<f32>
  %3 = stablehlo.convert %a : (tensor<2x6xf32>) -> tensor<2x6xi1>
  return %0, %1, %2, %3 : tensor<2x6xi8>, tensor<3xbf16>, tensor<f32>, tensor<2x6xi1>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
