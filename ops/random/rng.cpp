// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random numbers without a state.  StableHLO leaves the generator open; here it is a pure function,
// so that every target and every run gives the same: element i takes the first words of Philox block
// i under a fixed key.  UNIFORM of floats has 23 (f64: 52) random bits, of integers the block modulo
// b - a; NORMAL is the inverse of the normal distribution of such a float.
#include "ir/axes/batching.hpp"
#include "ops/random/random_bits.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

using scalar::ExprId;
using scalar::ExprPool;

constexpr std::uint32_t key_low = 0x70617274U, key_high = 0x69746121U;

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 3);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type &a = c.operands[0], &b = c.operands[1], &shape = c.operands[2];
  const Type& result = c.declared()[0];
  c.expect(!is_complex(result.dtype), "a result of integers, booleans or floats",
           to_string(result));
  const Type wanted = Type::scalar(result.dtype);
  c.expect(a == wanted, cat("operand 0 of type ", to_string(wanted)), to_string(a));  // (C1)
  c.expect(b == wanted, cat("operand 1 of type ", to_string(wanted)), to_string(b));
  const std::string& distribution = c.attrs.text("rng_distribution");
  c.expect(distribution == "UNIFORM" || is_float(a.dtype), "floats for NORMAL",
           to_string(a));  // (C2)
  c.expect(is_integer(shape.dtype) && shape.dims == Dims{result.rank()},
           cat("a shape of ", result.rank(), " integers as operand 2"), to_string(shape));
  return {result};  // (C3): the shape's values are those of the result's type
}

// --- As expressions; evaluation runs the same steps on numbers -----------------------------------

struct Steps {
  ExprPool& pool;
  DType d;

  [[nodiscard]] ExprId op(std::string_view row, ExprId x, ExprId y) const {
    return pool.apply(row, d, {x, y});
  }
  [[nodiscard]] ExprId number(double x) const { return pool.constant_of(d, x); }
  [[nodiscard]] ExprId bits(ExprId element) const {
    const auto word = [&](std::uint32_t x) {
      return ExprWord{&pool, pool.constant(DType::ui32, x)};
    };
    const ExprId high =
        pool.apply("shift_right_logical", DType::ui64, {element, pool.constant(DType::ui64, 32)});
    const auto x =
        philox4x32(std::array{word(key_low), word(key_high)},
                   std::array{ExprWord{&pool, pool.convert(element, DType::ui32)},
                              ExprWord{&pool, pool.convert(high, DType::ui32)}, word(0), word(0)});
    return pool.apply(
        "or_", DType::ui64,
        {pool.convert(x[0].id, DType::ui64),
         pool.apply("shift_left", DType::ui64,
                    {pool.convert(x[1].id, DType::ui64), pool.constant(DType::ui64, 32)})});
  }
  /// In [0, 1), in steps of 2^-23 or 2^-52.
  [[nodiscard]] ExprId unit(ExprId all) const {
    const int shift = d == DType::f64 ? 12 : 41;
    const ExprId top = pool.apply("shift_right_logical", DType::ui64,
                                  {all, pool.constant(DType::ui64, std::uint64_t(shift))});
    const ExprId exact = pool.convert(pool.convert(top, DType::i64), d);
    return op("multiply", exact, number(d == DType::f64 ? 0x1p-52 : 0x1p-23));
  }
  [[nodiscard]] ExprId uniform_integer(ExprId all, ExprId a, ExprId b) const {
    const DType u = bits_dtype(d);
    const ExprId range = pool.bitcast(op("subtract", b, a), u);
    const ExprId zero = pool.constant(u, 0), one = pool.constant(u, 1);
    const ExprId safe = pool.choose(pool.apply("compare_eq", u, {range, zero}), one, range);
    const ExprId rest = pool.apply("remainder", u, {pool.convert(all, u), safe});
    return op("add", a, pool.bitcast(rest, d));
  }
  [[nodiscard]] ExprId normal(ExprId all, ExprId a, ExprId b) const {
    // In (-1, 1), symmetric.
    const ExprId half = number(d == DType::f64 ? 0x1p-53 : 0x1p-24);
    const ExprId x =
        op("subtract", op("multiply", op("add", unit(all), half), number(2)), number(1));
    const ExprId z = op("multiply", pool.apply("erf_inv", d, {x}), number(1.4142135623730951));
    return op("add", op("multiply", z, b), a);
  }
};

ExprId lower(const Node& node, int, ExprPool& pool, std::span<const ExprId> index,
             const LoadFn& load) {
  const Type& type = node.result_types()[0];
  const DType d = accumulator_dtype(type.dtype);
  const Steps steps{pool, d};
  if (type.dtype == DType::i1) return load(0, {});  // [false, true) has but one value
  const ExprId all =
      steps.bits(pool.from_index(scalar::linear_index(pool, index, type.dims), DType::ui64));
  const ExprId a = pool.convert(load(0, {}), d), b = pool.convert(load(1, {}), d);
  if (is_integer(d)) return pool.convert(steps.uniform_integer(all, a, b), type.dtype);
  if (node.attrs.text("rng_distribution") == "NORMAL")
    return pool.convert(steps.normal(all, a, b), type.dtype);
  const ExprId x =
      steps.op("add", steps.op("multiply", steps.unit(all), steps.op("subtract", b, a)), a);
  return pool.convert(x, type.dtype);
}

// --- Evaluation ---------------------------------------------------------------------------------

std::uint64_t bits_of(std::uint64_t element) {
  const auto x = philox4x32(std::array{key_low, key_high},
                            std::array{std::uint32_t(element), std::uint32_t(element >> 32),
                                       std::uint32_t(0), std::uint32_t(0)});
  return x[0] | std::uint64_t(x[1]) << 32;
}

template <DType d>
ValueType<d> erf_inv(ValueType<d> x) {
  static const ElementwiseFn f = elementwise_function(elementwise_row("erf_inv"), d);
  const void* operands[] = {&x};
  ValueType<d> result{};
  f(operands, &result, 1);
  return result;
}

template <DType d>
ValueType<d> number(std::uint64_t bits, ValueType<d> a, ValueType<d> b, bool is_normal) {
  using V = ValueType<d>;
  if constexpr (std::is_same_v<V, bool>) {
    return a;
  } else if constexpr (std::is_integral_v<V>) {
    using U = std::make_unsigned_t<V>;
    const U range = U(U(b) - U(a));
    return V(U(U(a) + U(U(bits) % (range == 0 ? U(1) : range))));
  } else if constexpr (std::is_floating_point_v<V>) {
    const bool wide = d == DType::f64;
    const V unit = V(bits >> (wide ? 12 : 41)) * V(wide ? 0x1p-52 : 0x1p-23);
    if (!is_normal) return unit * (b - a) + a;
    const V x = (unit + V(wide ? 0x1p-53 : 0x1p-24)) * V(2) - V(1);
    return erf_inv<d>(x) * V(1.4142135623730951) * b + a;
  } else {
    throw_internal_error("random complex numbers");
  }
}

std::vector<Tensor> eval(const EvalContext& c) {
  const DType d = accumulator_dtype(c.result_type().dtype);
  const bool is_normal = c.node.attrs.text("rng_distribution") == "NORMAL";
  HostArray result(Type{.dtype = d, .dims = c.result_type().dims});
  const HostArray a = convert(*c.operands[0], d), b = convert(*c.operands[1], d);
  visit(d, [&](auto dtype) {
    for (std::int64_t i = 0; i < result.type.count(); ++i)
      store<dtype>(number<dtype>(bits_of(std::uint64_t(i)), load<dtype>(a.data<dtype>(), 0),
                                 load<dtype>(b.data<dtype>(), 0), is_normal),
                   result.data<dtype>(), std::size_t(i));
  });
  return one(convert(result, c.result_type().dtype));
}

/// Linear in the bounds, or in mean and deviation, as the numbers are the same in every run.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Value g = cotangents[0];
  const Type scalar = c.node.operand(0).type();
  I64s all;
  for (std::int64_t d = 0; d < g.type().rank(); ++d) all.push_back(d);
  const Value unit = c.op("stablehlo.rng", {c.zeros(scalar), c.splat(scalar, 1), c.node.operand(2)},
                          c.node.attrs, g.type());
  const Value of_second = c.sum(c.multiply(g, unit), all), total = c.sum(g, all);
  const bool is_normal = c.node.attrs.text("rng_distribution") == "NORMAL";
  return {is_normal ? total : c.op("stablehlo.subtract", {total, of_second}), of_second};
}

}  // namespace

void register_rng(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.rng";
  op.doc =
      "Random numbers between two bounds, or of a normal distribution: the same ones in every run, "
      "by element number.";
  op.attrs = {AttrSpec{.name = "rng_distribution",
                       .kind = AttrKind::enumeration,
                       .allowed = {"UNIFORM", "NORMAL"},
                       .enum_kind = "rng_distribution"}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0, 1}, vjp);
  op.shape = KernelShape::loops;
  op.batch = batch_by_loop;
  op.lower = lower;
  op.cost = 100;
  op.samples = {
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>, %d: tensor<f64>, %h: tensor<f16>, %p: tensor<ui8>) -> (tensor<4x5xf32>, tensor<3x7xf32>, tensor<9xi32>, tensor<6xf64>, tensor<6xf16>, tensor<5xui8>, tensor<f32>) {
  %s = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
  %t = stablehlo.constant dense<[3, 7]> : tensor<2xi64>
  %n = stablehlo.constant dense<9> : tensor<1xi64>
  %m = stablehlo.constant dense<6> : tensor<1xi64>
  %o = stablehlo.constant dense<5> : tensor<1xi64>
  %q = stablehlo.constant dense<> : tensor<0xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
  %1 = stablehlo.rng %a, %b, %t, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x7xf32>
  %2 = stablehlo.rng %i, %j, %n, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<9xi32>
  %3 = stablehlo.rng %d, %d, %m, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<6xf64>
  %4 = stablehlo.rng %h, %h, %m, distribution = UNIFORM : (tensor<f16>, tensor<f16>, tensor<1xi64>) -> tensor<6xf16>
  %5 = stablehlo.rng %p, %p, %o, distribution = UNIFORM : (tensor<ui8>, tensor<ui8>, tensor<1xi64>) -> tensor<5xui8>
  %6 = stablehlo.rng %b, %a, %q, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x5xf32>, tensor<3x7xf32>, tensor<9xi32>, tensor<6xf64>, tensor<6xf16>, tensor<5xui8>, tensor<f32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
