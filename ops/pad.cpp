// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <cstdlib>

#include "ir/axes/batching.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

struct Padding {
  const I64s &low, &high, &interior;
  explicit Padding(const Dict& attrs)
      : low(attrs.i64s("edge_padding_low")),
        high(attrs.i64s("edge_padding_high")),
        interior(attrs.i64s("interior_padding")) {}
  /// Extent with interior padding only.
  [[nodiscard]] std::int64_t spread(std::int64_t extent, std::size_t d) const {
    return extent == 0 ? 0 : (extent - 1) * (interior[d] + 1) + 1;
  }
  [[nodiscard]] bool is_none(std::size_t d) const {
    return low[d] == 0 && high[d] == 0 && interior[d] == 0;
  }
};

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 2);
  const Type &operand = c.operands[0], &value = c.operands[1];
  c.expect(value == Type::scalar(operand.dtype),
           cat("a padding value of type ", to_string(Type::scalar(operand.dtype))),
           to_string(value));  // (C1)
  const Padding p(c.attrs);
  expect_size(c, "edge_padding_low", p.low, operand.rank());  // (C2)
  expect_size(c, "edge_padding_high", p.high, operand.rank());
  expect_size(c, "interior_padding", p.interior, operand.rank());
  Type result{.dtype = operand.dtype, .dims = {}};
  constexpr std::int64_t most = std::int64_t(1) << 40;
  for (std::size_t d = 0; d < operand.dims.size(); ++d) {
    const std::int64_t largest = std::max({std::abs(p.low[d]), std::abs(p.high[d]), p.interior[d]});
    c.expect(largest >= 0 && largest <= most / std::max<std::int64_t>(operand.dims[d], 1),
             cat("a result of a representable extent in dimension ", d),
             cat("padding by ", largest));
    c.expect(p.interior[d] >= 0, cat("interior padding of 0 or more in dimension ", d),
             cat(p.interior[d]));                                                     // (C3)
    const std::int64_t extent = p.low[d] + p.spread(operand.dims[d], d) + p.high[d];  // (C4)
    c.expect(extent >= 0, cat("a result extent of 0 or more in dimension ", d), cat(extent));
    result.dims.push_back(extent);
  }
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const HostArray &operand = *c.operands[0], &value = *c.operands[1];
  const Padding p(c.node.attrs);
  const Dims& dims = operand.type.dims;
  copy_box(value, {0, Dims(dims.size(), 0)}, result, view_of(result.type), result.type.dims);
  // Operand indices [first, end) land inside of the result; negative padding cuts the others off.
  Dims first(dims.size(), 0), target(dims.size(), 0), box(dims.size(), 0);
  View from = view_of(operand.type), to = view_of(result.type);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t step = p.interior[d] + 1;
    first[d] = p.low[d] < 0 ? (-p.low[d] + step - 1) / step : 0;
    target[d] = p.low[d] + first[d] * step;
    const std::int64_t room = result.type.dims[d] - target[d];
    box[d] = std::min(dims[d] - first[d], room <= 0 ? 0 : (room + step - 1) / step);
    if (box[d] <= 0) return one(std::move(result));
  }
  from = sub_view(from, first);
  to = sub_view(to, target);
  for (std::size_t d = 0; d < dims.size(); ++d) to.strides[d] *= p.interior[d] + 1;
  copy_box(operand, from, result, to, box);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  const Padding p(node.attrs);
  return dimwise_rule(node, [&](std::size_t d) { return p.is_none(d); });
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const Padding p(node.attrs);
  const Dims& dims = node.operand(0).type().dims;
  std::vector<scalar::ExprId> source(index.begin(), index.end());
  scalar::ExprId inside = pool.boolean(true);
  for (std::size_t d = 0; d < source.size(); ++d) {
    if (p.is_none(d)) continue;
    const scalar::ExprId at = pool.sub(index[d], pool.index(p.low[d]));
    inside = pool.logical_and(inside, pool.less_equal(pool.index(0), at));
    inside = pool.logical_and(inside, pool.less(at, pool.index(p.spread(dims[d], d))));
    const std::int64_t step = p.interior[d] + 1;
    if (step > 1) inside = pool.logical_and(inside, pool.equal(pool.mod(at, step), pool.index(0)));
    source[d] = pool.div(at, step);
  }
  const scalar::Expr& condition = pool[inside];
  if (condition.kind == scalar::ExprKind::constant)
    return condition.bits != 0 ? load(0, source) : load(1, {});
  return pool.choose(inside, load(0, source), load(1, {}));
}

/// Of the operand: what it has become in the result; of the value: the sum of the rest.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Padding p(c.node.attrs);
  const Type &from = c.node.operand(0).type(), &to = c.node.result_types()[0];
  Values results(2);
  if (c.wanted(0)) {
    I64s low, high, limit, step;
    for (std::size_t d = 0; d < from.dims.size(); ++d) {
      low.push_back(-p.low[d]);
      high.push_back(-p.high[d]);
      limit.push_back(p.spread(from.dims[d], d));
      step.push_back(p.interior[d] + 1);
    }
    const I64s none(from.dims.size(), 0);
    const Value spread =
        c.op("stablehlo.pad", {cotangents[0], c.zeros(Type::scalar(from.dtype))},
             {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", none}});
    results[0] = c.op("stablehlo.slice", {spread},
                      {{"start_indices", none}, {"limit_indices", limit}, {"strides", step}});
  }
  if (c.wanted(1)) {
    const Value operand = c.zeros({.dtype = DType::i1, .dims = from.dims}),
                padding = c.splat(Type::scalar(DType::i1), 1);
    const Value is_padding = c.op("stablehlo.pad", {operand, padding}, c.node.attrs);
    I64s all;
    for (std::int64_t d = 0; d < to.rank(); ++d) all.push_back(d);
    results[1] = c.sum(c.select(is_padding, cotangents[0], c.zeros(to)), all);
  }
  return results;
}

void batch(const BatchJob& job) {
  if (!job.is_batched(1)) return batch_leading(job, {true, false});
  // A padding value for each slice is selected where padding is.
  const Maker b = job.maker();
  const Type &operand = job.node.operand(0).type(), &result = job.node.result_types()[0];
  const Value is_inside = b.op(
      "stablehlo.pad",
      {b.splat({.dtype = DType::i1, .dims = operand.dims}, 1), b.splat(Type::scalar(DType::i1), 0)},
      job.node.attrs);
  BatchJob with_zero = job;
  with_zero.operands[1] = {b.splat(Type::scalar(operand.dtype), 0), false};
  batch_leading(with_zero, {true, false});
  const Value padded = job.made(0);
  const Dims& full = padded.type().dims;
  job.set(0, b.op("stablehlo.select", {b.broadcast(is_inside, full, counting(result.rank(), 1)),
                                       padded, b.broadcast(job.plain(1), full, {0})}));
}

}  // namespace

void register_pad(OpRegistry& registry) {
  const auto attribute = [](const char* name) {
    return dims_attr(name, {per_dim(DimRole::Side::operand, 0, Fill::zero)});
  };
  OpDef op;
  op.name = "stablehlo.pad";
  op.doc =
      "The operand with padding at its edges and between its elements; negative edges cut off.";
  op.attrs = {attribute("edge_padding_low"), attribute("edge_padding_high"),
              attribute("interior_padding")};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0, 1}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::joined;
  op.lower = lower;
  op.factors = factors;
  op.batch = batch;
  op.samples = {
      R"(func.func @main(%a: tensor<3x4xf32>, %v: tensor<f32>, %e: tensor<0xi32>, %w: tensor<i32>) -> (tensor<5x9xf32>, tensor<2x4xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<f32>, tensor<3x5xf32>) {
  %0 = stablehlo.pad %a, %v, low = [0, 1], high = [2, 1], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<5x9xf32>
  %1 = stablehlo.pad %a, %v, low = [-1, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %2 = stablehlo.pad %a, %v, low = [1, -1], high = [-1, -3], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x3xf32>
  %3 = stablehlo.pad %e, %w, low = [1], high = [2], interior = [3] : (tensor<0xi32>, tensor<i32>) -> tensor<3xi32>
  %4 = stablehlo.pad %v, %v, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.pad %a, %v, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<5x9xf32>, tensor<2x4xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<f32>, tensor<3x5xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
