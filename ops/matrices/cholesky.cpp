// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Also what matrices.hpp declares.
#include <cmath>
#include <limits>

#include "ops/matrices/matrices.hpp"
#include "ops/support/derivative_support.hpp"

namespace partita::ir::ops {

void expect_matrices(const InferContext& c, std::size_t operand) {
  const Type& type = c.operands[operand];
  c.expect((is_float(type.dtype) || is_complex(type.dtype)) && type.rank() >= 2,
           cat("operand ", operand, " to be matrices of floats or complex numbers"),
           to_string(type));
}

FactorRule stack_factors(const Node& node, std::size_t rank_of_stack) {
  FactorRule rule = empty_rule(node);
  for (std::size_t d = 0; d < rank_of_stack; ++d) {
    const int f = rule.add_factor(node.operand(0).type().dims[d]);
    for (auto& operand : rule.operands) operand[d] = {f};
    for (auto& result : rule.results) result[d] = {f};
  }
  replicate_rest(node, rule);
  return rule;
}

Value hermitian_of_triangle(const DerivativeContext& c, Value v, bool lower) {
  const auto adjoint = [&](Value x) { return conjugate(c, matrix_transpose(c, x)); };
  const Value half = triangle(c, lower ? v : adjoint(v), true, false);
  Value diagonal = triangle(c, triangle(c, v, true, true), false, true);
  if (is_complex(v.type().dtype)) {
    const Value real = c.op("stablehlo.real", {diagonal});
    diagonal = c.op("stablehlo.complex", {real, c.zeros(real.type())});
  }
  return c.op("stablehlo.add", {c.op("stablehlo.add", {half, adjoint(half)}), diagonal});
}

namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  expect_matrices(c, 0);  // (C2)
  const Dims& dims = c.operands[0].dims;
  c.expect(dims[dims.size() - 2] == dims.back(), "square matrices",
           to_string(c.operands[0]));  // (C3)
  return {c.operands[0]};              // (C1)
}

/// L with L Lᴴ = the matrix whose lower triangle `a` has; NaN where it is not positive-definite.
template <class T>
void factorize(const MatrixView<T>& a, const MatrixView<T>& l) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t j = 0; j < a.rows; ++j) {
    double pivot = std::real(a(j, j));
    for (std::int64_t k = 0; k < j; ++k) pivot -= std::norm(l(j, k));
    const double diagonal = pivot > 0 ? std::sqrt(pivot) : nan;
    l(j, j) = diagonal;
    for (std::int64_t i = j + 1; i < a.rows; ++i) {
      T sum = a(i, j);
      for (std::int64_t k = 0; k < j; ++k) sum -= l(i, k) * conjugate(l(j, k));
      l(i, j) = sum / diagonal;
    }
  }
  // A pivot that is not positive shows in the last one.
  if (!std::isnan(std::real(l(a.rows - 1, a.rows - 1)))) return;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.rows; ++j) l(i, j) = nan;
}

template <class T>
void transpose_conjugated(const MatrixView<T>& a) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = conjugate(a(i, i));
    for (std::int64_t j = 0; j < i; ++j) {
      const T below = a(i, j);
      a(i, j) = conjugate(a(j, i));
      a(j, i) = conjugate(below);
    }
  }
}

std::vector<Tensor> eval(const EvalContext& c) {
  const bool lower = c.node.attrs.flag("lower");
  HostArray result;
  visit_wide(c.result_type().dtype, [&](auto zero) {
    using T = decltype(zero);
    HostArray a = convert(*c.operands[0], wide_dtype<T>), l(a.type);
    const auto from = matrices<T>(a), to = matrices<T>(l);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (!lower) transpose_conjugated(from[k]);
      factorize(from[k], to[k]);
      if (!lower) transpose_conjugated(to[k]);
    }
    result = convert(l, c.result_type().dtype);
  });
  return one(std::move(result));
}

Value solve(const DerivativeContext& c, Value a, Value b, bool left) {
  return c.op(
      "stablehlo.triangular_solve", {a, b},
      {{"left_side", left},
       {"lower", true},
       {"unit_diagonal", false},
       {"transpose_a", EnumAttr{"stablehlo", "transpose", left ? "NO_TRANSPOSE" : "ADJOINT"}}});
}

/// L' = L·Φ(L⁻¹ A' L⁻ᴴ), where Φ takes the lower triangle with half of the diagonal, and A' is the
/// Hermitian matrix whose one triangle is read.
Value tangent_of(const DerivativeContext& c, Value t) {
  const bool lower = c.node.attrs.flag("lower");
  const auto adjoint = [&](Value v) { return conjugate(c, matrix_transpose(c, v)); };
  const Value factor = lower ? c.node.result() : adjoint(c.node.result());
  const Value whole = hermitian_of_triangle(c, t, lower);
  const Value inner = solve(c, factor, solve(c, factor, whole, true), false);
  const Value below = triangle(c, inner, true, false), with = triangle(c, inner, true, true);
  const Value mean = c.multiply(c.op("stablehlo.add", {below, with}), c.splat(t.type(), 0.5));
  const Value result = matrix_product(c, factor, mean);
  return lower ? result : adjoint(result);
}

Values jvp(DerivativeContext& c, const Values& tangents) { return {tangent_of(c, tangents[0])}; }

Values vjp(DerivativeContext& c, const Values& cotangents) {
  return {transposed_vjp(c, cotangents[0], [&](Value t) { return tangent_of(c, t); })};
}

}  // namespace

void register_cholesky(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.cholesky";
  op.doc =
      "The triangular factor of each positive-definite matrix, of which one triangle is read; zero "
      "in the other triangle, NaN for a matrix that is not positive-definite.";
  op.attrs = {flag_attr("lower")};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::rules(jvp, vjp);
  op.shape = KernelShape::procedure;
  op.factors = [](const Node& node) {
    return stack_factors(node, node.operand(0).type().dims.size() - 2);
  };
  op.samples = {
      R"(func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<40x40xf64>, %e: tensor<2x0x0xf32>, %s: tensor<1x1xf32>) -> (tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<40x40xf64>, tensor<2x0x0xf32>, tensor<1x1xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %j = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %k = stablehlo.compare EQ, %i, %j : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %l = stablehlo.convert %k : (tensor<4x4xi1>) -> tensor<4x4xf32>
  %m = stablehlo.broadcast_in_dim %l, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %n = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %p = stablehlo.add %m, %n : tensor<3x4x4xf32>
  %0 = stablehlo.cholesky %p, lower = true : tensor<3x4x4xf32>
  %1 = stablehlo.cholesky %p, lower = false : tensor<3x4x4xf32>
  %q = stablehlo.iota dim = 0 : tensor<40x40xi32>
  %r = stablehlo.iota dim = 1 : tensor<40x40xi32>
  %t = stablehlo.compare EQ, %q, %r : (tensor<40x40xi32>, tensor<40x40xi32>) -> tensor<40x40xi1>
  %u = stablehlo.convert %t : (tensor<40x40xi1>) -> tensor<40x40xf64>
  %v = stablehlo.dot_general %b, %b, contracting_dims = [1] x [1] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
  %w = stablehlo.add %u, %v : tensor<40x40xf64>
  %2 = stablehlo.cholesky %w, lower = true : tensor<40x40xf64>
  %3 = stablehlo.cholesky %e, lower = true : tensor<2x0x0xf32>
  %4 = stablehlo.cholesky %s : tensor<1x1xf32>
  return %0, %1, %2, %3, %4 : tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<40x40xf64>, tensor<2x0x0xf32>, tensor<1x1xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
