// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Custom calls of QR decompositions by Householder reflections H = I - tau v vᴴ with v = (0, …, 0,
// 1, v'), as LAPACK's geqrf and orgqr: the first gives R in the upper triangle, the v' below of it,
// and the taus, with Hᴴ … H₁ᴴ A = R; the second the first columns of H₁ H₂ ….
#include <cmath>

#include "ops/matrices/householder_derivative.hpp"
#include "ops/matrices/matrices.hpp"
#include "ops/support/custom_call.hpp"

namespace partita::ir::ops {
namespace {

Type taus_of(const Type& a, std::int64_t count) {
  Type taus = a;
  taus.dims.pop_back();
  taus.dims.back() = count;
  return taus;
}

std::vector<Type> infer_qr(const InferContext& c) {
  expect_operand_count(c, 1);
  expect_matrices(c, 0);
  const Type& a = c.operands[0];
  return {a, taus_of(a, std::min(a.dims[a.dims.size() - 2], a.dims.back()))};
}

std::vector<Type> infer_product(const InferContext& c) {
  expect_operand_count(c, 2);
  expect_matrices(c, 0);
  const Type &a = c.operands[0], &taus = c.operands[1];
  const std::int64_t rows = a.dims[a.dims.size() - 2], columns = a.dims.back();
  c.expect(rows >= columns, "matrices with at least as many rows as columns", to_string(a));
  const std::int64_t count = taus.rank() == 0 ? 0 : taus.dims.back();
  c.expect(taus == taus_of(a, count) && count <= columns,
           cat("taus ", to_string(taus_of(a, columns)), " or fewer as operand 1"), to_string(taus));
  return {a};
}

/// The rows of a stack of vectors in an array of wide_dtype<T>.
template <class T>
T* vector_of(HostArray& stack, std::size_t k) {
  return stack.data<wide_dtype<T>>() + std::int64_t(k) * stack.type.dims.back();
}

template <class T>
T make_tau(double beta, T alpha) {
  if constexpr (is_std_complex<T>)
    return {(beta - alpha.real()) / beta, -alpha.imag() / beta};
  else
    return (beta - alpha) / beta;
}

/// Column `c` of m, from row j on, minus scale · v (vᴴ · it), v from column j of `vs`.
template <class T>
void reflect(const MatrixView<T>& vs, std::int64_t j, T scale, const MatrixView<T>& m,
             std::int64_t c) {
  T dot = m(j, c);
  for (std::int64_t i = j + 1; i < m.rows; ++i) dot += conjugate(vs(i, j)) * m(i, c);
  const T by = scale * dot;
  m(j, c) -= by;
  for (std::int64_t i = j + 1; i < m.rows; ++i) m(i, c) -= vs(i, j) * by;
}

template <class T>
void decompose(const MatrixView<T>& a, T* taus) {
  for (std::int64_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    double below = 0;
    for (std::int64_t i = j + 1; i < a.rows; ++i) below += std::norm(a(i, j));
    const T alpha = a(j, j);
    taus[j] = T(0);
    if (below == 0 && std::imag(alpha) == 0) continue;
    const double length = std::sqrt(std::norm(alpha) + below);
    const double beta = std::real(alpha) < 0 ? length : -length;
    taus[j] = make_tau(beta, alpha);
    for (std::int64_t i = j + 1; i < a.rows; ++i) a(i, j) /= alpha - beta;
    for (std::int64_t c = j + 1; c < a.columns; ++c) reflect(a, j, conjugate(taus[j]), a, c);
    a(j, j) = beta;
  }
}

std::vector<Tensor> eval_qr(const EvalContext& c) {
  std::vector<Tensor> results;
  visit_wide(c.result_type().dtype, [&](auto zero) {
    using T = decltype(zero);
    HostArray a = convert(*c.operands[0], wide_dtype<T>);
    HostArray taus(Type{.dtype = wide_dtype<T>, .dims = c.result_type(1).dims});
    const auto stack = matrices<T>(a);
    for (std::size_t k = 0; k < stack.size(); ++k) decompose(stack[k], vector_of<T>(taus, k));
    const DType d = c.result_type().dtype;
    results = {std::make_shared<const HostArray>(convert(a, d)),
               std::make_shared<const HostArray>(convert(taus, d))};
  });
  return results;
}

std::vector<Tensor> eval_product(const EvalContext& c) {
  HostArray result;
  visit_wide(c.result_type().dtype, [&](auto zero) {
    using T = decltype(zero);
    HostArray a = convert(*c.operands[0], wide_dtype<T>),
              taus = convert(*c.operands[1], a.type.dtype);
    HostArray q(a.type);
    const auto vs = matrices<T>(a), stack = matrices<T>(q);
    for (std::size_t k = 0; k < stack.size(); ++k) {
      for (std::int64_t i = 0; i < stack[k].columns; ++i) stack[k](i, i) = T(1);
      for (std::int64_t j = taus.type.dims.back(); j-- > 0;)
        for (std::int64_t column = 0; column < stack[k].columns; ++column)
          reflect(vs[k], j, vector_of<T>(taus, k)[j], stack[k], column);
    }
    result = convert(q, c.result_type().dtype);
  });
  return one(std::move(result));
}

}  // namespace

void register_householder(OpRegistry& registry) {
  const auto factors = [](const Node& node) {
    return stack_factors(node, node.operand(0).type().dims.size() - 2);
  };
  OpDef qr = custom_call_target(
      "Qr", "The QR decomposition of each matrix, as reflections (below the diagonal) and R.");
  qr.infer = infer_qr;
  qr.eval = eval_qr;
  qr.derivative = qr_derivative();
  qr.shape = KernelShape::procedure;
  qr.factors = factors;
  qr.samples = {
      R"(func.func @main(%a: tensor<2x5x3xf32>, %b: tensor<3x5xf32>, %c: tensor<40x36xf64>, %e: tensor<0x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<40x36xf64>, tensor<36xf64>, tensor<0xf32>) {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>)
  %1:2 = stablehlo.custom_call @Qr(%b) : (tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3xf32>)
  %2:2 = stablehlo.custom_call @Qr(%c) : (tensor<40x36xf64>) -> (tensor<40x36xf64>, tensor<36xf64>)
  %3:2 = stablehlo.custom_call @Qr(%e) : (tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0xf32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#1 : tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<40x36xf64>, tensor<36xf64>, tensor<0xf32>
})"};
  registry.add(std::move(qr));

  OpDef product = custom_call_target("ProductOfElementaryHouseholderReflectors",
                                     "The first columns of the product of reflections.");
  product.infer = infer_product;
  product.eval = eval_product;
  product.derivative = reflections_derivative();
  product.shape = KernelShape::procedure;
  product.factors = factors;
  product.samples = {
      R"(func.func @main(%a: tensor<2x5x3xf32>, %t: tensor<2x3xf32>, %b: tensor<4x4xf64>, %u: tensor<2xf64>) -> (tensor<2x5x3xf32>, tensor<4x4xf64>) {
  %0 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %t) : (tensor<2x5x3xf32>, tensor<2x3xf32>) -> tensor<2x5x3xf32>
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%b, %u) : (tensor<4x4xf64>, tensor<2xf64>) -> tensor<4x4xf64>
  return %0, %1 : tensor<2x5x3xf32>, tensor<4x4xf64>
})"};
  registry.add(std::move(product));
}

}  // namespace partita::ir::ops
