// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Type& operand = c.operands[0];
  const I64s &start = c.attrs.i64s("start_indices"), &limit = c.attrs.i64s("limit_indices"),
             &strides = c.attrs.i64s("strides");
  expect_size(c, "start_indices", start, operand.rank());  // (C2)
  expect_size(c, "limit_indices", limit, operand.rank());
  expect_size(c, "strides", strides, operand.rank());
  Type result{.dtype = operand.dtype, .dims = {}};  // (C1)
  for (std::size_t d = 0; d < start.size(); ++d) {
    c.expect(0 <= start[d] && start[d] <= limit[d] && limit[d] <= operand.dims[d],
             cat("0 <= start <= limit <= ", operand.dims[d], " in dimension ", d),
             cat("start ", start[d], " and limit ", limit[d]));                            // (C3)
    c.expect(strides[d] > 0, cat("a positive stride in dimension ", d), cat(strides[d]));  // (C4)
    const std::int64_t span = limit[d] - start[d];
    result.dims.push_back(span / strides[d] + (span % strides[d] != 0 ? 1 : 0));  // (C5)
  }
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const HostArray& operand = *c.operands[0];
  View source = sub_view(view_of(operand.type), c.node.attrs.i64s("start_indices"));
  const I64s& strides = c.node.attrs.i64s("strides");
  for (std::size_t d = 0; d < strides.size(); ++d) source.strides[d] *= strides[d];
  copy_box(operand, source, result, view_of(result.type), result.type.dims);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  const I64s &start = node.attrs.i64s("start_indices"), &limit = node.attrs.i64s("limit_indices"),
             &strides = node.attrs.i64s("strides");
  const Dims& dims = node.operand(0).type().dims;
  return dimwise_rule(
      node, [&](std::size_t d) { return start[d] == 0 && limit[d] == dims[d] && strides[d] == 1; });
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const I64s &start = node.attrs.i64s("start_indices"), &strides = node.attrs.i64s("strides");
  std::vector<scalar::ExprId> source;
  for (std::size_t d = 0; d < index.size(); ++d)
    source.push_back(pool.add(pool.mul(index[d], strides[d]), start[d]));
  return load(0, source);
}

/// Zeros around and between the elements that were taken.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Type& from = c.node.operand(0).type();
  const I64s &start = c.node.attrs.i64s("start_indices"), &strides = c.node.attrs.i64s("strides");
  I64s high, interior;
  for (std::size_t d = 0; d < start.size(); ++d) {
    const std::int64_t n = cotangents[0].type().dims[d];
    interior.push_back(strides[d] - 1);
    high.push_back(from.dims[d] - start[d] - (n == 0 ? 0 : (n - 1) * strides[d] + 1));
  }
  return {c.op(
      "stablehlo.pad", {cotangents[0], c.zeros(Type::scalar(from.dtype))},
      {{"edge_padding_low", start}, {"edge_padding_high", high}, {"interior_padding", interior}})};
}

}  // namespace

void register_slice(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.slice";
  op.doc = "Every strides-th element from start_indices up to, without, limit_indices.";
  op.attrs = {dims_attr("start_indices", {per_dim(DimRole::Side::operand, 0, Fill::zero)}),
              dims_attr("limit_indices", {per_dim(DimRole::Side::operand, 0, Fill::extent)}),
              dims_attr("strides", {per_dim(DimRole::Side::operand, 0, Fill::one)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::viewed;
  op.lower = lower;
  op.factors = factors;
  op.samples = {
      R"(func.func @main(%a: tensor<5x7xf32>, %b: tensor<4xi32>, %c: tensor<f32>) -> (tensor<2x7xf32>, tensor<5x3xf32>, tensor<0xi32>, tensor<f32>) {
  %0 = stablehlo.slice %a [1:3, 0:7] : (tensor<5x7xf32>) -> tensor<2x7xf32>
  %1 = stablehlo.slice %a [0:5, 1:7:2] : (tensor<5x7xf32>) -> tensor<5x3xf32>
  %2 = stablehlo.slice %b [2:2] : (tensor<4xi32>) -> tensor<0xi32>
  %3 = stablehlo.slice %c [] : (tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<2x7xf32>, tensor<5x3xf32>, tensor<0xi32>, tensor<f32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
