// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <array>

#include "ir/axes/removal.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

const Dense& value_of(const Dict& attrs) { return **attrs.find("value")->get_if<DenseRef>(); }

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 0);
  return {value_of(c.attrs).type()};
}

std::vector<Tensor> eval(const EvalContext& c) { return one(value_of(c.node.attrs).to_array()); }

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  for (std::size_t d = 0; d < rule.results[0].size(); ++d)
    rule.results[0][d] = {rule.add_factor(node.result_types()[0].dims[d])};
  return rule;
}

/// Only splats: other constants are buffers.
scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool, std::span<const scalar::ExprId>,
                     const LoadFn&) {
  const Dense& value = value_of(node.attrs);
  PARTITA_ASSERT(value.is_splat());
  if (value.type().dtype == DType::c128) {
    std::array<std::uint64_t, 2> parts{};
    std::memcpy(parts.data(), value.bytes().data(), sizeof parts);
    return pool.apply("complex", DType::f64,
                      {pool.constant(DType::f64, parts[0]), pool.constant(DType::f64, parts[1])});
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, value.bytes().data(), value.bytes().size());
  return pool.constant(value.type().dtype, bits);
}

/// The constant with the axis as its dimension 0: [n, rest…], rest as the result's type.
HostArray axis_first(const HostArray& array, const AxisPosition& p, std::int64_t n,
                     const Type& rest) {
  Type type = rest;
  type.dims.insert(type.dims.begin(), n);
  HostArray out(type);
  const std::size_t size = byte_size(type.dtype);
  std::int64_t before = 1, after = 1;
  for (int d = 0; d < array.type.rank(); ++d)
    (d < p.dim ? before : after) *= d == p.dim ? 1 : array.type.dims[std::size_t(d)];
  before *= p.outer;
  after *= p.inner;
  const std::size_t run = std::size_t(after) * size;
  if (run == 0) return out;
  for (std::int64_t b = 0; b < before; ++b)
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(out.bytes.data() + std::size_t(i * before + b) * run,
                  array.bytes.data() + std::size_t(b * n + i) * run, run);
  return out;
}

Removal remove_axis(const RemovalJob& job) {
  const Maker b = job.maker();
  const Type type = job.result_type();
  const DenseRef value = *job.node.attrs.find("value")->get_if<DenseRef>();
  const auto constant = [&](DenseRef v) {
    return Removal{.results = {b.constant(std::move(v))}, .why = {}};
  };
  if (value->is_splat()) return constant(std::make_shared<const Dense>(type, value->bytes(), true));
  const AxisPosition& at = *job.flow.results[0];
  if (is_ragged(at, job.n, value->type().dims[std::size_t(at.dim)]))
    return {.results = {}, .why = "its last pieces have fewer elements"};
  const HostArray moved = axis_first(value->to_array(), *job.flow.results[0], job.n, type);
  HostArray first(type);
  std::copy_n(moved.bytes.begin(), first.bytes.size(), first.bytes.begin());
  bool is_uniform = true;
  for (std::int64_t i = 1; i < job.n && is_uniform; ++i)
    is_uniform = std::equal(first.bytes.begin(), first.bytes.end(),
                            moved.bytes.begin() + i * std::ptrdiff_t(first.bytes.size()));
  if (is_uniform) return constant(make_dense(first));
  std::vector<Value> operands{b.constant(make_dense(moved)), job.index()};
  for (std::size_t d = 0; d < type.dims.size(); ++d)
    operands.push_back(b.splat(operands[1].type(), 0));
  I64s sizes = moved.type.dims;
  sizes[0] = 1;
  return {.results = {b.reshape(b.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}}),
                                type.dims)},
          .why = {}};
}

}  // namespace

void register_constant(OpRegistry& registry) {
  AttrSpec value;
  value.name = "value";
  value.kind = AttrKind::dense;
  OpDef op;
  op.name = "stablehlo.constant";
  op.doc = "A constant array.";
  op.attrs = {value};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("has no operands");
  op.shape = KernelShape::loops;
  op.elements = Elements::generated;
  op.lower = lower;
  op.factors = factors;
  op.remove_axis = remove_axis;
  op.samples = {
      R"(func.func @main() -> (tensor<f32>, tensor<2x3xi32>, tensor<4xf64>, tensor<0x2xi1>) {
  %0 = stablehlo.constant dense<1.5> : tensor<f32>
  %1 = stablehlo.constant dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %2 = stablehlo.constant dense<2.5> : tensor<4xf64>
  %3 = stablehlo.constant dense<> : tensor<0x2xi1>
  return %0, %1, %2, %3 : tensor<f32>, tensor<2x3xi32>, tensor<4xf64>, tensor<0x2xi1>
})",
      R"(func.func @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  return %0 : tensor<3xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
