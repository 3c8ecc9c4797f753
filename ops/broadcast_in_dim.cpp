// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/batching.hpp"
#include "ir/axes/removal.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

constexpr const char* attribute = "broadcast_dimensions";

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type &operand = c.operands[0], &result = c.declared()[0];
  const I64s& dims = c.attrs.i64s(attribute);
  c.expect(operand.dtype == result.dtype, cat("a result of ", to_string(operand.dtype)),
           to_string(result));                           // (C1)
  expect_size(c, attribute, dims, operand.rank());       // (C2)
  expect_dimensions(c, attribute, dims, result.rank());  // (C3)
  expect_unique(c, attribute, dims);                     // (C4)
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t from = operand.dims[d], to = result.dims[std::size_t(dims[d])];
    c.expect(from == 1 || from == to,
             cat("dimension ", d, " of the operand to be 1 or ", to, ", as dimension ", dims[d],
                 " of the result"),
             to_string(operand));  // (C5)
  }
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const HostArray& operand = *c.operands[0];
  const I64s& dims = c.node.attrs.i64s(attribute);
  const Dims strides = row_major_strides(operand.type.dims);
  View source{0, Dims(result.type.dims.size(), 0)};
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (operand.type.dims[d] != 1) source.strides[std::size_t(dims[d])] = strides[d];
  copy_box(operand, source, result, view_of(result.type), result.type.dims);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Dims &from = node.operand(0).type().dims, &to = node.result_types()[0].dims;
  for (std::size_t d = 0; d < to.size(); ++d) rule.results[0][d] = {rule.add_factor(to[d])};
  const I64s& dims = node.attrs.i64s(attribute);
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] == to[std::size_t(dims[d])])
      rule.operands[0][d] = rule.results[0][std::size_t(dims[d])];
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const Dims& from = node.operand(0).type().dims;
  const I64s& dims = node.attrs.i64s(attribute);
  std::vector<scalar::ExprId> source;
  for (std::size_t d = 0; d < from.size(); ++d)
    source.push_back(from[d] == 1 ? pool.index(0) : index[std::size_t(dims[d])]);
  return load(0, source);
}

/// Sums over what was repeated.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Type &from = c.node.operand(0).type(), &to = c.node.result_types()[0];
  const I64s& dims = c.node.attrs.i64s(attribute);
  I64s kept, repeated;  // dimensions of the result
  for (std::int64_t d = 0; d < to.rank(); ++d) {
    const auto at = std::find(dims.begin(), dims.end(), d);
    const bool is_kept =
        at != dims.end() && from.dims[std::size_t(at - dims.begin())] == to.dims[std::size_t(d)];
    (is_kept ? kept : repeated).push_back(d);
  }
  Value v = c.sum(cotangents[0], repeated);
  I64s order;  // by dimension of the operand that is kept: its place in `v`
  for (const std::int64_t d : dims)
    if (const auto at = std::find(kept.begin(), kept.end(), d); at != kept.end())
      order.push_back(at - kept.begin());
  return {c.reshape(c.transpose(v, order), from.dims)};
}

Removal remove_axis(const RemovalJob& job) {
  const Maker b = job.maker();
  const AxisPosition p = *job.flow.results[0];
  Value operand = job.operands[0];
  I64s dims = job.node.attrs.i64s("broadcast_dimensions");
  if (is_whole(p)) {
    // The operand loses the dimension too: its own of the axis is gone already, one of extent 1 goes now.
    const auto at = std::find(dims.begin(), dims.end(), p.dim);
    if (at != dims.end()) {
      Dims shape = operand.type().dims;
      if (!job.flow.operands[0]) shape.erase(shape.begin() + (at - dims.begin()));
      operand = b.reshape(operand, shape);
      dims.erase(at);
    }
    for (std::int64_t& d : dims)
      if (d > p.dim) --d;
  }
  const Type type = job.result_type();
  if (operand.type() == type && std::is_sorted(dims.begin(), dims.end()))
    return {.results = {operand}, .why = {}};
  return {.results = {b.typed("stablehlo.broadcast_in_dim", {operand}, type,
                              {{"broadcast_dimensions", dims}})},
          .why = {}};
}

}  // namespace

void register_broadcast_in_dim(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.broadcast_in_dim";
  op.doc = "Repeats the operand along new dimensions and along those of extent 1.";
  op.attrs = {dims_attr(attribute,
                        {per_dim(DimRole::Side::operand, 0), dim_index(DimRole::Side::result, 0)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::viewed;
  op.lower = lower;
  op.factors = factors;
  op.batch = batch_leading_everywhere;
  op.remove_axis = remove_axis;
  op.samples = {
      R"(func.func @main(%a: tensor<f32>, %b: tensor<3xi32>, %c: tensor<1x3xf32>, %d: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3x4xi32>, tensor<2x3xf32>, tensor<3x5x2xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xi32>) -> tensor<2x3x4xi32>
  %2 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.broadcast_in_dim %d, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3x4xi32>, tensor<2x3xf32>, tensor<3x5x2xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
