// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The bits of elements as another type.  Where the widths differ, elements of the wider type stand
// for a row of narrower ones in a further last dimension, low bits first.
#include "ops/support/support.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

using scalar::ExprId;
using scalar::ExprPool;

/// How many elements of the narrower type the wider one has; 1 where the widths are equal.
std::int64_t ratio_of(DType a, DType b) {
  const int low = std::min(info(a).bits, info(b).bits), high = std::max(info(a).bits, info(b).bits);
  return high / low;
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type &operand = c.operands[0], &result = c.declared()[0];
  c.expect(is_complex(operand.dtype) == is_complex(result.dtype), "both types complex or neither",
           cat(to_string(operand), " and ", to_string(result)));  // (C2)
  const std::int64_t ratio = ratio_of(operand.dtype, result.dtype);
  Type wanted{.dtype = result.dtype, .dims = operand.dims};
  if (info(result.dtype).bits < info(operand.dtype).bits) {
    wanted.dims.push_back(ratio);
  } else if (ratio > 1) {
    c.expect(operand.rank() > 0 && operand.dims.back() == ratio,
             cat("an operand with a last dimension of ", ratio, " for elements of ",
                 to_string(result.dtype)),
             to_string(operand));
    wanted.dims.pop_back();
  }
  c.expect(result == wanted, cat("a result of type ", to_string(wanted)),
           to_string(result));  // (C1)
  return {result};
}

// --- Evaluation ---------------------------------------------------------------------------------

/// The bits of all elements one after the other.  One of less than a byte takes a byte, of which the low bits
/// count.
std::vector<bool> bits_of(const HostArray& array) {
  const auto own = std::size_t(std::min(info(array.type.dtype).bits, 8));
  std::vector<bool> bits;
  bits.reserve(own * array.bytes.size());
  for (const std::byte b : array.bytes)
    for (std::size_t k = 0; k < own; ++k) bits.push_back((b >> k & std::byte{1}) != std::byte{0});
  return bits;
}

void set_bits(HostArray& array, const std::vector<bool>& bits) {
  const DType d = array.type.dtype;
  const auto own = std::size_t(std::min(info(d).bits, 8));
  for (std::size_t i = 0; i < array.bytes.size(); ++i) {
    std::uint64_t byte = 0;
    for (std::size_t k = 0; k < own; ++k) byte |= std::uint64_t{bits[i * own + k]} << k;
    array.bytes[i] = std::byte(own < 8 ? stored_bits(d, byte) : byte);
  }
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const HostArray& operand = *c.operands[0];
  const bool has_whole_bytes =
      std::min(info(operand.type.dtype).bits, info(result.type.dtype).bits) >= 8;
  if (has_whole_bytes || operand.type.dtype == result.type.dtype)
    result.bytes = operand.bytes;
  else
    set_bits(result, bits_of(operand));
  return one(std::move(result));
}

// --- Kernels ------------------------------------------------------------------------------------

/// The bits of x, which is not complex, zero-extended to `wide`.
ExprId bits_as(ExprPool& pool, ExprId x, DType wide) {
  const DType d = pool[x].dtype;
  return pool.convert(d == DType::i1 ? x : pool.bitcast(x, bits_dtype(d)), wide);
}

/// The low bits of `bits`, which is unsigned, as an element of d.
ExprId from_bits(ExprPool& pool, ExprId bits, DType d) {
  if (d == DType::i1) {
    const DType wide = pool[bits].dtype;
    return pool.convert(pool.apply("and_", wide, {bits, pool.constant(wide, 1)}), d);
  }
  return pool.bitcast(pool.convert(bits, bits_dtype(d)), d);
}

ExprId shifted(ExprPool& pool, const char* row, ExprId x, ExprId by) {
  return pool.apply(row, pool[x].dtype, {x, by});
}

ExprId lower_complex(ExprPool& pool, DType to, std::span<const ExprId> index, const LoadFn& load) {
  if (to == DType::c64) {  // the halves of the real part, then of the imaginary one
    const ExprId x = load(0, index.first(index.size() - 1));
    const ExprId is_first = pool.equal(index.back(), pool.index(0));
    const ExprId part = pool.choose(is_first, pool.apply("real", DType::c128, {x}),
                                    pool.apply("imag", DType::c128, {x}));
    const ExprId bits = pool.bitcast(part, DType::ui64);
    const ExprId high = shifted(pool, "shift_right_logical", bits, pool.constant(DType::ui64, 32));
    return pool.apply("complex", DType::f32,
                      {from_bits(pool, bits, DType::f32), from_bits(pool, high, DType::f32)});
  }
  ExprId parts[2];
  for (std::int64_t k = 0; k < 2; ++k) {
    std::vector<ExprId> at(index.begin(), index.end());
    at.push_back(pool.index(k));
    const ExprId x = load(0, at);
    const ExprId low = bits_as(pool, pool.apply("real", DType::c64, {x}), DType::ui64);
    const ExprId high = bits_as(pool, pool.apply("imag", DType::c64, {x}), DType::ui64);
    const ExprId up = shifted(pool, "shift_left", high, pool.constant(DType::ui64, 32));
    parts[k] = pool.bitcast(pool.apply("or_", DType::ui64, {low, up}), DType::f64);
  }
  return pool.apply("complex", DType::f64, {parts[0], parts[1]});
}

ExprId lower(const Node& node, int, ExprPool& pool, std::span<const ExprId> index,
             const LoadFn& load) {
  const DType from = node.operand(0).type().dtype, to = node.result_types()[0].dtype;
  const std::int64_t ratio = ratio_of(from, to);
  if (ratio == 1) return pool.bitcast(load(0, index), to);
  if (is_complex(from)) return lower_complex(pool, to, index, load);
  const int step = std::min(info(from).bits, info(to).bits);
  if (info(to).bits < info(from).bits) {
    const DType wide = bits_dtype(from);
    const ExprId bits = bits_as(pool, load(0, index.first(index.size() - 1)), wide);
    const ExprId by = pool.from_index(pool.mul(index.back(), step), wide);
    return from_bits(pool, shifted(pool, "shift_right_logical", bits, by), to);
  }
  const DType wide = bits_dtype(to);
  std::vector<ExprId> at(index.begin(), index.end());
  ExprId bits = pool.constant(wide, 0);
  for (std::int64_t k = 0; k < ratio; ++k) {
    at.resize(index.size());
    at.push_back(pool.index(k));
    const ExprId by = pool.constant(wide, std::uint64_t(k * step));
    const ExprId up = shifted(pool, "shift_left", bits_as(pool, load(0, at), wide), by);
    bits = k == 0 ? up : pool.apply("or_", wide, {bits, up});
  }
  return from_bits(pool, bits, to);
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Dims &from = node.operand(0).type().dims, &to = node.result_types()[0].dims;
  for (std::size_t d = 0; d < std::min(from.size(), to.size()); ++d)
    rule.operands[0][d] = rule.results[0][d] = {rule.add_factor(from[d])};
  replicate_rest(node, rule);
  return rule;
}

}  // namespace

void register_bitcast_convert(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.bitcast_convert";
  op.doc =
      "The bits of each element as another element type; as several elements of a narrower type, "
      "or "
      "one of a wider type.";
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::loops;
  op.lower = lower;
  op.factors = factors;
  op.derivative = Derivative::none("takes bits apart");
  op.samples = {
      R"(func.func @main(%a: tensor<2x6xf32>, %b: tensor<3xbf16>) -> (tensor<2x6xi32>, tensor<3xui16>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2x6xf32>) -> tensor<2x6xi32>
  %1 = stablehlo.bitcast_convert %b : (tensor<3xbf16>) -> tensor<3xui16>
  return %0, %1 : tensor<2x6xi32>, tensor<3xui16>
})",
      R"(func.func @main(%a: tensor<2x3xf64>, %b: tensor<3x2xf16>, %c: tensor<i32>, %d: tensor<5x8xi8>, %e: tensor<2x16xi1>) -> (tensor<2x3x2xi32>, tensor<3xf32>, tensor<32xi1>, tensor<5xui64>, tensor<2xf16>, tensor<2x3x8xui8>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2x3xf64>) -> tensor<2x3x2xi32>
  %1 = stablehlo.bitcast_convert %b : (tensor<3x2xf16>) -> tensor<3xf32>
  %2 = stablehlo.bitcast_convert %c : (tensor<i32>) -> tensor<32xi1>
  %3 = stablehlo.bitcast_convert %d : (tensor<5x8xi8>) -> tensor<5xui64>
  %4 = stablehlo.bitcast_convert %e : (tensor<2x16xi1>) -> tensor<2xf16>
  %5 = stablehlo.bitcast_convert %a : (tensor<2x3xf64>) -> tensor<2x3x8xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3x2xi32>, tensor<3xf32>, tensor<32xi1>, tensor<5xui64>, tensor<2xf16>, tensor<2x3x8xui8>
})",
      R"(func.func @main(%a: tensor<4xi4>, %b: tensor<3x2xf4E2M1FN>, %c: tensor<2xi16>, %d: tensor<4x2xi2>) -> (tensor<4xui4>, tensor<4xf4E2M1FN>, tensor<3xf8E4M3FN>, tensor<2x4xi4>, tensor<2x8xui2>, tensor<4xi4>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xi4>) -> tensor<4xui4>
  %1 = stablehlo.bitcast_convert %a : (tensor<4xi4>) -> tensor<4xf4E2M1FN>
  %2 = stablehlo.bitcast_convert %b : (tensor<3x2xf4E2M1FN>) -> tensor<3xf8E4M3FN>
  %3 = stablehlo.bitcast_convert %c : (tensor<2xi16>) -> tensor<2x4xi4>
  %4 = stablehlo.bitcast_convert %c : (tensor<2xi16>) -> tensor<2x8xui2>
  %5 = stablehlo.bitcast_convert %d : (tensor<4x2xi2>) -> tensor<4xi4>
  return %0, %1, %2, %3, %4, %5 : tensor<4xui4>, tensor<4xf4E2M1FN>, tensor<3xf8E4M3FN>, tensor<2x4xi4>, tensor<2x8xui2>, tensor<4xi4>
})",
      R"(func.func @main(%a: tensor<3xcomplex<f64>>, %b: tensor<4x2xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>, tensor<4xcomplex<f64>>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<3xcomplex<f64>>) -> tensor<3x2xcomplex<f32>>
  %1 = stablehlo.bitcast_convert %b : (tensor<4x2xcomplex<f32>>) -> tensor<4xcomplex<f64>>
  return %0, %1 : tensor<3x2xcomplex<f32>>, tensor<4xcomplex<f64>>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
