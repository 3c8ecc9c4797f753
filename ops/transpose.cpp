// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/removal.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Type& operand = c.operands[0];
  const I64s& permutation = c.attrs.i64s("permutation");
  expect_size(c, "permutation", permutation, operand.rank());  // (C2)
  expect_dimensions(c, "permutation", permutation, operand.rank());
  expect_unique(c, "permutation", permutation);
  Type result{.dtype = operand.dtype, .dims = {}};  // (C1), (C3)
  for (const std::int64_t d : permutation) result.dims.push_back(operand.dims[std::size_t(d)]);
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const HostArray& operand = *c.operands[0];
  const Dims strides = row_major_strides(operand.type.dims);
  View source;
  for (const std::int64_t d : c.node.attrs.i64s("permutation"))
    source.strides.push_back(strides[std::size_t(d)]);
  copy_box(operand, source, result, view_of(result.type), result.type.dims);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const I64s& permutation = node.attrs.i64s("permutation");
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    const int f = rule.add_factor(node.result_types()[0].dims[d]);
    rule.results[0][d] = {f};
    rule.operands[0][std::size_t(permutation[d])] = {f};
  }
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool&,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const I64s& permutation = node.attrs.i64s("permutation");
  std::vector<scalar::ExprId> source(index.begin(), index.end());
  for (std::size_t d = 0; d < permutation.size(); ++d)
    source[std::size_t(permutation[d])] = index[d];
  return load(0, source);
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const I64s& permutation = c.node.attrs.i64s("permutation");
  I64s inverse(permutation.size());
  for (std::size_t d = 0; d < permutation.size(); ++d)
    inverse[std::size_t(permutation[d])] = std::int64_t(d);
  return {c.transpose(cotangents[0], inverse)};
}

Removal remove_axis(const RemovalJob& job) {
  const Dict attrs = attributes_without(job);
  if (const I64s& p = attrs.i64s("permutation"); std::is_sorted(p.begin(), p.end()))
    return {.results = {job.operands[0]}, .why = {}};
  return remove_plain(job);
}

}  // namespace

void register_transpose(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.transpose";
  op.doc = "Dimension d of the result is dimension permutation[d] of the operand.";
  op.attrs = {dims_attr("permutation",
                        {per_dim(DimRole::Side::result, 0), dim_index(DimRole::Side::operand, 0)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::viewed;
  op.lower = lower;
  op.factors = factors;
  op.remove_axis = remove_axis;
  op.samples = {
      R"(func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3x4xi16>, %c: tensor<f32>, %d: tensor<0x2xf64>) -> (tensor<3x2xf32>, tensor<4x2x3xi16>, tensor<f32>, tensor<2x0xf64>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %b, dims = [2, 0, 1] : (tensor<2x3x4xi16>) -> tensor<4x2x3xi16>
  %2 = stablehlo.transpose %c, dims = [] : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.transpose %d, dims = [1, 0] : (tensor<0x2xf64>) -> tensor<2x0xf64>
  return %0, %1, %2, %3 : tensor<3x2xf32>, tensor<4x2x3xi16>, tensor<f32>, tensor<2x0xf64>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
