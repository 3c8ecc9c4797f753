// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/ops/support.hpp"
#include "partita/ir/elementwise.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type &operand = c.operands[0], &result = c.declared()[0];
  c.expect(
      info(operand.dtype).bits == info(result.dtype).bits,
      cat("a result of the width of ", to_string(operand.dtype), " (others are not supported)"),
      to_string(result));
  c.expect(operand.dims == result.dims, cat("a result of the shape of ", to_string(operand)),
           to_string(result));
  c.expect(is_complex(operand.dtype) == is_complex(result.dtype), "both types complex or neither",
           cat(to_string(operand), " and ", to_string(result)));  // (C2)
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  result.bytes = c.operands[0]->bytes;
  return one(std::move(result));
}

kernel::ExprId lower(const Node& node, int, kernel::ExprPool& pool,
                     std::span<const kernel::ExprId> index, const LoadFn& load) {
  return pool.bitcast(load(0, index), node.result_types()[0].dtype);
}

}  // namespace

void register_bitcast_convert(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.bitcast_convert";
  op.doc = "The bits of each element as another element type of the same width.";
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::loops;
  op.lower = lower;
  op.factors = pointwise_factors;
  op.may_alias = {{0, 0}};
  op.no_gradient = "takes bits apart";
  op.samples = {
      R"(func.func @main(%a: tensor<2x6xf32>, %b: tensor<3xbf16>) -> (tensor<2x6xi32>, tensor<3xui16>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2x6xf32>) -> tensor<2x6xi32>
  %1 = stablehlo.bitcast_convert %b : (tensor<3xbf16>) -> tensor<3xui16>
  return %0, %1 : tensor<2x6xi32>, tensor<3xui16>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
