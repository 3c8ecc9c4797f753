// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.rotate: what lies along a dimension moves `shift` places to the front, what is at the front to the end.
#include "ops/rotate/rotation.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  expect_dimensions(c, "dim", I64s{c.attrs.i64("dim")}, c.operands[0].rank());
  c.expect(c.attrs.i64("shift") >= 0, "a shift of at least 0", cat(c.attrs.i64("shift")));
  return {c.operands[0]};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const Dims &dims = result.type.dims, strides = row_major_strides(dims);
  const auto along = std::size_t(c.node.attrs.i64("dim"));
  const std::size_t size = byte_size(result.type.dtype);
  for_each_index(dims, [&](std::span<const std::int64_t> index) {
    Dims from(index.begin(), index.end());
    from[along] = rotated(index[along], c.node.attrs.i64("shift"), dims[along]);
    std::memcpy(&result.bytes[std::size_t(offset_of(index, strides)) * size],
                &c.operands[0]->bytes[std::size_t(offset_of(from, strides)) * size], size);
  });
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  return dimwise_rule(node,
                      [&](std::size_t d) { return std::int64_t(d) != node.attrs.i64("dim"); });
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const auto along = std::size_t(node.attrs.i64("dim"));
  const std::int64_t extent = node.result_types()[0].dims[along];
  std::vector<scalar::ExprId> source(index.begin(), index.end());
  source[along] = pool.mod(pool.add(index[along], node.attrs.i64("shift")), extent);
  return load(0, source);
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const std::int64_t dim = c.node.attrs.i64("dim"), shift = c.node.attrs.i64("shift");
  const std::int64_t extent = c.node.operand(0).type().dims[std::size_t(dim)];
  const std::int64_t back = extent == 0 ? 0 : (extent - shift % extent) % extent;
  return {c.op("mr.rotate", {cotangents[0]}, {{"dim", dim}, {"shift", back}})};
}

}  // namespace

void register_rotate(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.rotate";
  op.doc = "What lies along a dimension, moved to the front by `shift` places.";
  op.attrs = {dim_attr("dim", {dim_index(DimRole::Side::result, 0)}),
              {.name = "shift", .kind = AttrKind::i64}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.lower = lower;
  op.factors = factors;
  op.samples = {R"(func.func @main(%a: tensor<2x7xf32>) -> tensor<2x7xf32> {
  %0 = "mr.rotate"(%a) {dim = 1 : i64, shift = 3 : i64} : (tensor<2x7xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
