// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <array>

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
kernel::ExprId lower(const Node& node, int, kernel::ExprPool& pool, std::span<const kernel::ExprId>,
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
  op.lower = lower;
  op.factors = factors;
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
