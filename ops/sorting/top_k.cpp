// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <type_traits>

#include "ops/sorting/sort.hpp"
#include "ops/support/derivative_support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Type& operand = c.operands[0];
  const std::int64_t k = c.attrs.i64("k");
  c.expect(operand.rank() >= 1, "an operand of rank 1 or more", to_string(operand));
  c.expect(!is_complex(operand.dtype), "an operand that can be ordered", to_string(operand));
  c.expect(k >= 0 && k <= operand.dims.back(), cat("k within [0, ", operand.dims.back(), "]"),
           cat(k));
  Type values = operand;
  values.dims.back() = k;
  return {values, Type{.dtype = DType::i32, .dims = values.dims}};
}

/// An integer that grows with the element; of floats with their total order.
template <DType d>
auto key(const StorageType<d>* data, std::size_t i) {
  if constexpr (is_float(d)) {
    using Bits = StorageType<bits_dtype(d)>;
    Bits bits{};
    std::memcpy(&bits, data + i, sizeof bits);
    constexpr Bits sign = Bits(info(d).format.sign_mask());
    return Bits((bits & sign) != 0 ? ~bits & Bits(sign | (sign - 1)) : bits | sign);
  } else {
    return load<d>(data, i);
  }
}

template <DType d>
Comparator is_greater(const HostArray& operand) {
  if constexpr (is_complex(d)) {
    throw_internal_error("an order of complex numbers");
  } else {
    const auto* data = operand.data<d>();
    return [data](std::int64_t a, std::int64_t b) {
      return key<d>(data, std::size_t(a)) > key<d>(data, std::size_t(b));
    };
  }
}

std::vector<Tensor> eval(const EvalContext& c) {
  const HostArray& operand = *c.operands[0];
  const std::size_t last = operand.type.dims.size() - 1;
  HostArray positions(Type{.dtype = DType::i32, .dims = operand.type.dims});
  const std::int64_t n = operand.type.dims[last];
  for (std::int64_t i = 0; i < positions.type.count(); ++i)
    positions.data<DType::i32>()[i] = std::int32_t(i % n);
  const std::vector<Tensor> inputs{c.operands[0],
                                   std::make_shared<const HostArray>(std::move(positions))};
  std::vector<HostArray> sorted;
  visit(operand.type.dtype, [&](auto d) {
    sorted = sorted_together(inputs, last, is_greater<d>(operand), c.node.attrs.i64("k"));
  });
  std::vector<Tensor> results;
  for (HostArray& r : sorted) results.push_back(std::make_shared<const HostArray>(std::move(r)));
  return results;
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Dims& dims = node.operand(0).type().dims;
  for (std::size_t d = 0; d + 1 < dims.size(); ++d) {
    rule.operands[0][d] = {rule.add_factor(dims[d])};
    for (auto& result : rule.results) result[d] = rule.operands[0][d];
  }
  replicate_rest(node, rule);
  return rule;
}

/// The places are the second result.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Type& type = c.node.operand(0).type();
  if (!cotangents[0]) return {};
  return {put_along(c, type, c.node.result(1), cotangents[0], type.rank() - 1)};
}

Values jvp(DerivativeContext& c, const Values& tangents) {
  return {take_along(c, tangents[0], c.node.result(1), tangents[0].type().rank() - 1), {}};
}

}  // namespace

void register_top_k(OpRegistry& registry) {
  OpDef op;
  op.name = "chlo.top_k";
  op.doc =
      "The k largest elements along the last dimension, largest first, and where they are; of "
      "equals the first, floats in their total order.";
  op.attrs = {AttrSpec{.name = "k", .kind = AttrKind::i64}};
  op.infer = infer;
  op.eval = eval;
  op.factors = factors;
  op.derivative = Derivative::rules(jvp, vjp);
  op.samples = {
      R"(func.func @main(%a: tensor<3x2x21xf32>, %b: tensor<40xi8>, %c: tensor<2x3xi1>, %d: tensor<5xbf16>) -> (tensor<3x2x4xf32>, tensor<3x2x4xi32>, tensor<40xi8>, tensor<40xi32>, tensor<2x2xi1>, tensor<2x2xi32>, tensor<0xbf16>, tensor<0xi32>) {
  %0:2 = chlo.top_k(%a, k = 4) : tensor<3x2x21xf32> -> (tensor<3x2x4xf32>, tensor<3x2x4xi32>)
  %1:2 = chlo.top_k(%b, k = 40) : tensor<40xi8> -> (tensor<40xi8>, tensor<40xi32>)
  %2:2 = chlo.top_k(%c, k = 2) : tensor<2x3xi1> -> (tensor<2x2xi1>, tensor<2x2xi32>)
  %3:2 = chlo.top_k(%d, k = 0) : tensor<5xbf16> -> (tensor<0xbf16>, tensor<0xi32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<3x2x4xf32>, tensor<3x2x4xi32>, tensor<40xi8>, tensor<40xi32>, tensor<2x2xi1>, tensor<2x2xi32>, tensor<0xbf16>, tensor<0xi32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
