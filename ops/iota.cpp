// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/removal.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 0);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type& type = c.declared()[0];
  c.expect(type.dtype != DType::i1, "a result of integers, floats or complex numbers",
           to_string(type));
  const std::int64_t dimension = c.attrs.i64("iota_dimension");
  c.expect(dimension >= 0 && dimension < type.rank(),
           cat("iota_dimension within [0, ", type.rank(), ")"),
           cat(dimension));  // (C1)
  return {type};
}

std::vector<Tensor> eval(const EvalContext& c) {
  const Type& type = c.result_type();
  const auto dimension = std::size_t(c.node.attrs.i64("iota_dimension"));
  HostArray counts(Type{.dtype = DType::i64, .dims = type.dims});
  auto* data = counts.data<DType::i64>();
  for_each_index(type.dims,
                 [&](std::span<const std::int64_t> index) { *data++ = index[dimension]; });
  return one(convert(counts, type.dtype));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  for (std::size_t d = 0; d < rule.results[0].size(); ++d)
    rule.results[0][d] = {rule.add_factor(node.result_types()[0].dims[d])};
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn&) {
  return pool.from_index(index[std::size_t(node.attrs.i64("iota_dimension"))],
                         node.result_types()[0].dtype);
}

Removal remove_axis(const RemovalJob& job) {
  const Maker b = job.maker();
  const AxisPosition p = *job.flow.results[0];
  const Type type = job.result_type();
  const std::int64_t dimension = job.node.attrs.i64("iota_dimension");
  if (p.dim != dimension) return remove_plain(job);
  const bool fits = p.outer * job.n * p.inner <= std::numeric_limits<std::int32_t>::max();
  const Type counts{.dtype = fits ? DType::i32 : DType::i64, .dims = type.dims};
  const Value index = b.broadcast(b.convert(job.index(), counts.dtype), counts.dims, {});
  if (is_whole(p)) return {.results = {b.convert(index, type.dtype)}, .why = {}};
  // Index j = o * inner + q of what is left is (o * n + i) * inner + q = j + (j / inner * (n - 1) + i) * inner.
  const Value j = b.typed("stablehlo.iota", {}, counts, {{"iota_dimension", dimension}});
  const auto times = [&](Value v, std::int64_t factor) {
    return factor == 1 ? v : b.op("stablehlo.multiply", {v, b.splat(counts, double(factor))});
  };
  Value skipped = index;
  if (p.outer != 1 && job.n != 1) {
    const Value o =
        p.inner == 1 ? j : b.op("stablehlo.divide", {j, b.splat(counts, double(p.inner))});
    skipped = b.op("stablehlo.add", {times(o, job.n - 1), index});
  }
  return {.results = {b.convert(b.op("stablehlo.add", {j, times(skipped, p.inner)}), type.dtype)},
          .why = {}};
}

}  // namespace

void register_iota(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.iota";
  op.doc = "Each element is its index along iota_dimension.";
  op.attrs = {dim_attr("iota_dimension", {dim_index(DimRole::Side::result, 0)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("has no operands");
  op.shape = KernelShape::loops;
  op.elements = Elements::generated;
  op.lower = lower;
  op.factors = factors;
  op.remove_axis = remove_axis;
  op.samples = {R"(func.func @main() -> (tensor<5xi32>, tensor<2x12x4xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<5xi32>
  %1 = stablehlo.iota dim = 1 : tensor<2x12x4xf32>
  return %0, %1 : tensor<5xi32>, tensor<2x12x4xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
