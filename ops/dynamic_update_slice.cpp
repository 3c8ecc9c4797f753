// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/start_indices.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.operands.size() >= 2, "an operand, an update and start indices",
           cat(c.operands.size(), " operands"));
  const Type &operand = c.operands[0], &update = c.operands[1];
  c.expect(update.dtype == operand.dtype, cat("an update of ", to_string(operand.dtype)),
           to_string(update));  // (C2)
  c.expect(update.rank() == operand.rank(), cat("an update of rank ", operand.rank()),
           to_string(update));                 // (C3)
  expect_start_indices(c, 2, operand.rank());  // (C4), (C5)
  for (std::size_t d = 0; d < operand.dims.size(); ++d)
    c.expect(update.dims[d] <= operand.dims[d], cat("an update within ", to_string(operand)),
             to_string(update));  // (C6)
  return {operand};               // (C1)
}

Dims start_limits(const Node& node) {
  Dims limits = node.operand(0).type().dims;
  const Dims& update = node.operand(1).type().dims;
  for (std::size_t d = 0; d < limits.size(); ++d) limits[d] -= update[d];
  return limits;
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result = *c.operands[0];
  const HostArray& update = *c.operands[1];
  const I64s starts = clamped_starts(c, 2, start_limits(c.node));
  copy_box(update, view_of(update.type), result, sub_view(view_of(result.type), starts),
           update.type.dims);
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  const Dims limits = start_limits(node);
  FactorRule rule = empty_rule(node);
  for (std::size_t d = 0; d < limits.size(); ++d) {
    if (limits[d] != 0) continue;
    const int f = rule.add_factor(node.result_types()[0].dims[d]);
    rule.operands[0][d] = rule.operands[1][d] = rule.results[0][d] = {f};
  }
  replicate_rest(node, rule);
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const Dims limits = start_limits(node);
  const Dims& update = node.operand(1).type().dims;
  std::vector<scalar::ExprId> source(index.begin(), index.end());
  scalar::ExprId inside = pool.boolean(true);
  for (std::size_t d = 0; d < source.size(); ++d) {
    if (limits[d] == 0) continue;
    source[d] = pool.sub(index[d], pool.to_index_within(load(int(d) + 2, {}), 0, limits[d]));
    inside = pool.logical_and(inside, pool.less_equal(pool.index(0), source[d]));
    inside = pool.logical_and(inside, pool.less(source[d], pool.index(update[d])));
  }
  const scalar::Expr& condition = pool[inside];
  if (condition.kind == scalar::ExprKind::constant)
    return condition.bits != 0 ? load(1, source) : load(0, index);
  return pool.choose(inside, load(1, source), load(0, index));
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Type& update = c.node.operand(1).type();
  const Values starts(c.node.operands().begin() + 2, c.node.operands().end());
  const auto with_starts = [&](Values operands) {
    operands.insert(operands.end(), starts.begin(), starts.end());
    return operands;
  };
  Values results(2);
  if (c.wanted(0))
    results[0] =
        c.op("stablehlo.dynamic_update_slice", with_starts({cotangents[0], c.zeros(update)}));
  if (c.wanted(1))
    results[1] = c.op("stablehlo.dynamic_slice", with_starts({cotangents[0]}),
                      {{"slice_sizes", I64s(update.dims)}});
  return results;
}

/// Scatter skips what sticks out where dynamic_update_slice moves it in: clamps each start first.
BatchJob with_clamped_starts(const BatchJob& job) {
  const Maker b = job.maker();
  BatchJob clamped = job;
  const Dims &operand = job.node.operand(0).type().dims, &update = job.node.operand(1).type().dims;
  for (std::size_t d = 0; d < operand.size(); ++d) {
    BatchedValue& start = clamped.operands[d + 2];
    const Type type = start.value.type();
    const bool is_signed = intersects(info(type.dtype).kind, Kinds::signed_);
    const int bits = info(type.dtype).bits - (is_signed ? 1 : 0);
    const std::int64_t limit = operand[d] - update[d];
    if (is_signed) start.value = b.op("stablehlo.maximum", {start.value, b.splat(type, 0)});
    if (bits >= 63 || limit < (std::int64_t(1) << bits))
      start.value = b.op("stablehlo.minimum", {start.value, b.splat(type, double(limit))});
  }
  return clamped;
}

void batch(const BatchJob& job) {
  if (!job.any_batched(2)) return batch_same_place(job, 2);
  const std::int64_t rank = job.node.operand(0).type().rank();
  const DType dtype = job.node.operand(0).type().dtype;
  const Dict attrs{{"update_window_dims", counting(rank, 1)},
                   {"inserted_window_dims", I64s{}},
                   {"input_batching_dims", I64s{0}},
                   {"scatter_indices_batching_dims", I64s{0}},
                   {"scatter_dims_to_operand_dims", counting(rank, 1)},
                   {"index_vector_dim", 1},
                   {"unique_indices", true}};
  auto region = std::make_unique<Graph>();
  region->add_argument(Type::scalar(dtype));
  region->results = {region->add_argument(Type::scalar(dtype))};
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  const std::vector<Type> types = job.batched_types();
  const Value starts = stacked_starts(with_clamped_starts(job), 2);
  job.set_all(create(job.context.into, "stablehlo.scatter",
                     {job.with_batch(0), starts, job.with_batch(1)}, attrs, std::move(regions),
                     types, job.context.before, job.node.location()));
}

Removal remove_axis(const RemovalJob& job) { return remove_with_start(job, 2); }

}  // namespace

void register_dynamic_update_slice(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.dynamic_update_slice";
  op.doc = "The operand with the box at start indices (moved inside) replaced by the update.";
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0, 1}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::joined;
  op.lower = lower;
  op.factors = factors;
  op.batch = batch;
  op.remove_axis = remove_axis;
  op.may_alias = {{0, 0}};
  op.samples = {
      R"(func.func @main(%a: tensor<4x5xf32>, %u: tensor<2x3xf32>, %v: tensor<1x5xf32>, %i: tensor<i32>, %j: tensor<i32>, %s: tensor<f32>, %e: tensor<0x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>, tensor<4x5xf32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<4x5xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  %1 = stablehlo.dynamic_update_slice %a, %v, %j, %i : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  %2 = stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.dynamic_update_slice %a, %e, %i, %j : (tensor<4x5xf32>, tensor<0x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>, tensor<4x5xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
