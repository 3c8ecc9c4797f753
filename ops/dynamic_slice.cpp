// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/start_indices.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(!c.operands.empty(), "an operand and its start indices", "no operands");
  const Type& operand = c.operands[0];
  expect_start_indices(c, 1, operand.rank());  // (C2), (C3)
  const I64s& sizes = c.attrs.i64s("slice_sizes");
  expect_size(c, "slice_sizes", sizes, operand.rank());
  for (std::size_t d = 0; d < sizes.size(); ++d)
    c.expect(0 <= sizes[d] && sizes[d] <= operand.dims[d],
             cat("a slice size within [0, ", operand.dims[d], "] in dimension ", d),
             cat(sizes[d]));                         // (C4)
  return {{.dtype = operand.dtype, .dims = sizes}};  // (C1), (C5)
}

Dims start_limits(const Node& node) {
  Dims limits = node.operand(0).type().dims;
  const I64s& sizes = node.attrs.i64s("slice_sizes");
  for (std::size_t d = 0; d < limits.size(); ++d) limits[d] -= sizes[d];
  return limits;
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const HostArray& operand = *c.operands[0];
  const I64s starts = clamped_starts(c, 1, start_limits(c.node));
  copy_box(operand, sub_view(view_of(operand.type), starts), result, view_of(result.type),
           result.type.dims);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  const Dims limits = start_limits(node);
  return dimwise_rule(node, [&](std::size_t d) { return limits[d] == 0; });
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const Dims limits = start_limits(node);
  std::vector<scalar::ExprId> source(index.begin(), index.end());
  for (std::size_t d = 0; d < source.size(); ++d)
    if (limits[d] > 0)
      source[d] = pool.add(index[d], pool.to_index_within(load(int(d) + 1, {}), 0, limits[d]));
  return load(0, source);
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  Values operands{c.zeros(c.node.operand(0).type()), cotangents[0]};
  const Values& own = c.node.operands();
  operands.insert(operands.end(), own.begin() + 1, own.end());
  return {c.op("stablehlo.dynamic_update_slice", operands)};
}

void batch(const BatchJob& job) {
  if (!job.any_batched(1)) return batch_same_place(job, 1);
  const std::int64_t rank = job.node.operand(0).type().rank();
  I64s sizes = job.node.attrs.i64s("slice_sizes");
  Dict attrs{{"offset_dims", counting(rank, 1)},
             {"collapsed_slice_dims", I64s{}},
             {"index_vector_dim", 1}};
  if (job.is_batched(0)) {
    sizes.insert(sizes.begin(), std::min<std::int64_t>(1, job.context.size));
    attrs.set("operand_batching_dims", I64s{0});
    attrs.set("start_indices_batching_dims", I64s{0});
  }
  attrs.set("start_index_map", counting(rank, job.is_batched(0) ? 1 : 0));
  attrs.set("slice_sizes", sizes);
  job.set(0, job.maker().op("stablehlo.gather", {job.plain(0), stacked_starts(job, 1)},
                            std::move(attrs)));
}

Removal remove_axis(const RemovalJob& job) { return remove_with_start(job, 1); }

}  // namespace

void register_dynamic_slice(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.dynamic_slice";
  op.doc =
      "The box of slice_sizes at start indices that are operands, moved into the operand where it "
      "sticks out.";
  op.attrs = {dims_attr("slice_sizes", {per_dim(DimRole::Side::operand, 0, Fill::extent)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::viewed;
  op.lower = lower;
  op.factors = factors;
  op.batch = batch;
  op.remove_axis = remove_axis;
  op.samples = {
      R"(func.func @main(%a: tensor<4x5xf32>, %i: tensor<i32>, %j: tensor<i32>, %c: tensor<i8>, %u: tensor<6xi32>) -> (tensor<2x3xf32>, tensor<1x5xf32>, tensor<f32>, tensor<6xi32>, tensor<2xi32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 3] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_slice %a, %j, %i, sizes = [1, 5] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
  %2 = stablehlo.constant dense<2.0> : tensor<f32>
  %3 = stablehlo.dynamic_slice %2, sizes = [] : (tensor<f32>) -> tensor<f32>
  %4 = stablehlo.dynamic_slice %u, %c, sizes = [6] : (tensor<6xi32>, tensor<i8>) -> tensor<6xi32>
  %5 = stablehlo.dynamic_slice %u, %c, sizes = [2] : (tensor<6xi32>, tensor<i8>) -> tensor<2xi32>
  return %0, %1, %3, %4, %5 : tensor<2x3xf32>, tensor<1x5xf32>, tensor<f32>, tensor<6xi32>, tensor<2xi32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
