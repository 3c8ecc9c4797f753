// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const I64s& dimensions = c.attrs.i64s("dimensions");
  expect_dimensions(c, "dimensions", dimensions, c.operands[0].rank());  // (C3)
  expect_unique(c, "dimensions", dimensions);                            // (C2)
  return {c.operands[0]};                                                // (C1)
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  View source = view_of(result.type);
  for (const std::int64_t d : c.node.attrs.i64s("dimensions")) {
    std::int64_t& stride = source.strides[std::size_t(d)];
    source.offset += stride * (result.type.dims[std::size_t(d)] - 1);
    stride = -stride;
  }
  copy_box(*c.operands[0], source, result, view_of(result.type), result.type.dims);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  const I64s& dimensions = node.attrs.i64s("dimensions");
  return dimwise_rule(node, [&](std::size_t d) { return !contains(dimensions, std::int64_t(d)); });
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  std::vector<scalar::ExprId> source(index.begin(), index.end());
  for (const std::int64_t d : node.attrs.i64s("dimensions"))
    source[std::size_t(d)] = pool.sub(pool.index(node.result_types()[0].dims[std::size_t(d)] - 1),
                                      index[std::size_t(d)]);
  return load(0, source);
}

Values vjp(DerivativeContext& c, const Values& cotangents) { return c.same(cotangents); }

}  // namespace

void register_reverse(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.reverse";
  op.doc = "The operand back to front along dimensions.";
  op.attrs = {dims_attr("dimensions", {dim_index(DimRole::Side::result, 0)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::viewed;
  op.lower = lower;
  op.factors = factors;
  op.samples = {
      R"(func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<0xi32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<0xi32>) {
  %0 = stablehlo.reverse %a, dims = [0, 2] : tensor<2x3x4xf32>
  %1 = stablehlo.reverse %a, dims = [] : tensor<2x3x4xf32>
  %2 = stablehlo.reverse %b, dims = [0] : tensor<0xi32>
  return %0, %1, %2 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<0xi32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
