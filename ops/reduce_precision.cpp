// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rounds floats to the values of a format with fewer exponent and mantissa bits.  As XLA does it:
// round to nearest even in the mantissa, then out of the exponent range to infinity, below it to
// zero; NaN stays, but is infinite where the format has no mantissa.
#include <bit>

#include "ops/support/support.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

using scalar::ExprId;
using scalar::ExprPool;

/// The masks of the reduction.
struct Reduction {
  bool rounds = false, clips = false, has_nan = true;
  /// What a carry out of the largest exponent gives lies above `overflow`.
  bool may_carry = false;
  FloatFormat source;
  std::uint64_t sign_mask = 0, magnitude_mask = 0, exponent_mask = 0;
  std::uint64_t overflow = 0, last_number = 0;                ///< as of FloatFormat
  std::uint64_t shift = 0, half_less_one = 0, keep_mask = 0;  ///< of the mantissa
  std::uint64_t lowest = 0,
                highest =
                    0;  ///< exponent fields: at most `lowest` is zero, above `highest` infinite
};

Reduction reduction_of(DType d, std::int64_t exponent_bits, std::int64_t mantissa_bits) {
  const FloatFormat source = info(d).format;
  Reduction r;
  r.source = source;
  r.sign_mask = source.sign_mask();
  r.magnitude_mask = source.magnitude_mask();
  r.exponent_mask = source.exponent_mask();
  r.overflow = source.overflow();
  r.last_number = source.last_number();
  r.has_nan = mantissa_bits > 0 || !source.has_infinity();
  r.rounds = mantissa_bits < source.mantissa_bits;
  r.may_carry = r.rounds && !source.has_infinity();
  r.clips = exponent_bits < source.exponent_bits;
  if (r.rounds) {
    r.shift = std::uint64_t(source.mantissa_bits - mantissa_bits);
    r.half_less_one = (std::uint64_t{1} << (r.shift - 1)) - 1;
    r.keep_mask = ~((std::uint64_t{1} << r.shift) - 1);
  }
  if (r.clips) {
    const auto bias = std::uint64_t(source.bias());
    const std::uint64_t reduced_bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
    r.highest = (bias + reduced_bias) << source.mantissa_bits;
    r.lowest = (bias - reduced_bias) << source.mantissa_bits;
  }
  return r;
}

template <class Bits>
Bits reduced(Bits x, const Reduction& r) {
  const std::uint64_t magnitude = x & r.magnitude_mask, sign = x & r.sign_mask;
  if (r.source.is_nan(x)) return r.has_nan ? x : Bits(sign | r.overflow);
  std::uint64_t result = magnitude;
  if (r.rounds) result = (result + r.half_less_one + (result >> r.shift & 1)) & r.keep_mask;
  if (r.may_carry && result > r.last_number) {
    result = r.overflow;
  } else if (r.clips) {
    const std::uint64_t exponent = result & r.exponent_mask;
    if (exponent > r.highest) result = r.overflow;
    if (exponent <= r.lowest) result = r.source.has_zero() ? 0 : r.source.nan();
  }
  if (result == 0 && !r.source.has_minus_zero()) return Bits(result);
  return Bits(sign | result);
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Type& type = c.operands[0];
  c.expect(is_float(type.dtype), "an operand of floats", to_string(type));
  c.expect(c.attrs.i64("exponent_bits") >= 1, "exponent_bits of at least 1",
           cat(c.attrs.i64("exponent_bits")));  // (C2)
  c.expect(c.attrs.i64("mantissa_bits") >= 0, "mantissa_bits of at least 0",
           cat(c.attrs.i64("mantissa_bits")));  // (C3)
  return {type};
}

Reduction reduction_of(const Node& node) {
  return reduction_of(node.result_types()[0].dtype, node.attrs.i64("exponent_bits"),
                      node.attrs.i64("mantissa_bits"));
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const Reduction r = reduction_of(c.node);
  visit(info(bits_dtype(result.type.dtype)).stored, [&](auto d) {
    if constexpr (info(d).kind == Kinds::unsigned_) {
      const auto* in = c.operands[0]->data<d>();
      for (std::int64_t i = 0; i < result.type.count(); ++i)
        result.data<d>()[i] = reduced(in[i], r);
    }
  });
  return one(std::move(result));
}

ExprId lower(const Node& node, int, ExprPool& pool, std::span<const ExprId> index,
             const LoadFn& load) {
  const Reduction r = reduction_of(node);
  const DType dtype = node.result_types()[0].dtype, d = bits_dtype(dtype);
  const auto constant = [&](std::uint64_t value) { return pool.constant(d, value); };
  const ExprId x = load(0, index);
  const ExprId bits = pool.bitcast(x, d);
  const ExprId magnitude = pool.apply("and_", d, {bits, constant(r.magnitude_mask)});
  const ExprId sign = pool.apply("and_", d, {bits, constant(r.sign_mask)});
  ExprId result = magnitude;
  if (r.rounds) {
    const ExprId last = pool.apply(
        "and_", d,
        {pool.apply("shift_right_logical", d, {result, constant(r.shift)}), constant(1)});
    const ExprId bias = pool.apply("add", d, {last, constant(r.half_less_one)});
    result = pool.apply("and_", d,
                        {pool.apply("add", d, {result, bias}),
                         constant(r.keep_mask & (r.sign_mask | r.magnitude_mask))});
  }
  const ExprId rounded = result;
  if (r.clips) {
    const ExprId exponent = pool.apply("and_", d, {result, constant(r.exponent_mask)});
    const ExprId overflows = pool.apply("compare_gt", d, {exponent, constant(r.highest)});
    const ExprId underflows = pool.apply("compare_le", d, {exponent, constant(r.lowest)});
    result = pool.apply("select", d, {overflows, constant(r.overflow), result});
    const std::uint64_t zero = r.source.has_zero() ? 0 : r.source.nan();
    result = pool.apply("select", d, {underflows, constant(zero), result});
  }
  if (r.may_carry) {
    const ExprId carries = pool.apply("compare_gt", d, {rounded, constant(r.last_number)});
    result = pool.apply("select", d, {carries, constant(r.overflow), result});
  }
  ExprId with_sign = pool.apply("or_", d, {sign, result});
  if (r.source.has_zero() && !r.source.has_minus_zero()) {
    const ExprId is_zero = pool.apply("compare_eq", d, {result, constant(0)});
    with_sign = pool.apply("select", d, {is_zero, result, with_sign});
  }
  result = with_sign;
  if (!r.source.has_nan()) return pool.bitcast(result, dtype);
  const ExprId is_nan = r.source.specials == Specials::zero_nan
                            ? pool.apply("compare_eq", d, {bits, constant(r.source.nan())})
                            : pool.apply("compare_gt", d, {magnitude, constant(r.last_number)});
  const ExprId nan = r.has_nan ? bits : pool.apply("or_", d, {sign, constant(r.overflow)});
  return pool.bitcast(pool.apply("select", d, {is_nan, nan, result}), dtype);
}

AttrSpec bits_attr(std::string name) {
  AttrSpec spec;
  spec.name = std::move(name);
  spec.kind = AttrKind::i64;
  return spec;
}

/// As of the identity: steps are not seen.
Values pass_on(DerivativeContext&, const Values& values) { return values; }

}  // namespace

void register_reduce_precision(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.reduce_precision";
  op.doc = "Elements rounded to a float format of exponent_bits and mantissa_bits.";
  op.attrs = {bits_attr("exponent_bits"), bits_attr("mantissa_bits")};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::rules(pass_on, pass_on);
  op.shape = KernelShape::loops;
  op.elements = Elements::elementwise;
  op.lower = lower;
  op.factors = pointwise_factors;
  op.may_alias = {{0, 0}};
  op.samples = {R"(func.func @main(%a: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %1 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 8 : i32, mantissa_bits = 0 : i32}> : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0, %1 : tensor<2x6xf32>, tensor<2x6xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
