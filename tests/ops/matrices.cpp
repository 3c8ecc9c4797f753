// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Factorisations multiply back to what was factorised, solutions solve, transforms are sums.
#include <complex>
#include <numbers>

#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using Complex = std::complex<double>;

Tensor complex_tensor(const Dims& dims, std::mt19937& random) {
  HostArray array(Type{.dtype = DType::c128, .dims = dims});
  std::uniform_real_distribution<double> draw(-1, 1);
  for (std::int64_t k = 0; k < array.type.count(); ++k)
    array.data<DType::c128>()[k] = {draw(random), draw(random)};
  return std::make_shared<const HostArray>(std::move(array));
}

const Complex* data(const Tensor& t) { return t->data<DType::c128>(); }

TEST(Fft, is_the_sum_over_roots_of_unity) {
  std::mt19937 random(3);
  for (const std::int64_t n : {1, 2, 7, 12, 37, 64}) {
    const std::string type = cat("tensor<", n, "xcomplex<f64>>");
    const Tensor x = complex_tensor({n}, random);
    const auto out =
        run_text(cat("func.func @main(%a: ", type, ") -> (", type, ", ", type,
                     ") {\n  %0 = stablehlo.fft %a, type = FFT, length = [", n, "] : (", type,
                     ") -> ", type, "\n  %1 = stablehlo.fft %0, type = IFFT, length = [", n,
                     "] : (", type, ") -> ", type, "\n  return %0, %1 : ", type, ", ", type, "\n}"),
                 {x});
    for (std::int64_t j = 0; j < n; ++j) {
      Complex sum = 0;
      for (std::int64_t k = 0; k < n; ++k)
        sum += data(x)[k] * std::polar(1.0, -2 * std::numbers::pi * double(j * k % n) / double(n));
      EXPECT_LT(std::abs(data(out[0])[j] - sum), 1e-12 * double(n));
      EXPECT_LT(std::abs(data(out[1])[j] - data(x)[j]), 1e-13 * double(n));
    }
  }
}

TEST(Cholesky, of_complex_matrices_multiplies_back) {
  std::mt19937 random(4);
  const std::string type = "tensor<2x3x3xcomplex<f64>>";
  const Tensor b = complex_tensor({2, 3, 3}, random);
  HostArray a(b->type);
  for (std::int64_t m = 0; m < 2; ++m)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j) {
        Complex sum = i == j ? 1 : 0;
        for (std::int64_t k = 0; k < 3; ++k)
          sum += data(b)[m * 9 + i * 3 + k] * std::conj(data(b)[m * 9 + j * 3 + k]);
        a.data<DType::c128>()[m * 9 + i * 3 + j] = sum;
      }
  const Tensor given = std::make_shared<const HostArray>(a);
  const auto out = run_text(cat("func.func @main(%a: ", type, ") -> (", type, ", ", type,
                                ") {\n  %0 = stablehlo.cholesky %a, lower = true : ", type,
                                "\n  %1 = stablehlo.cholesky %a, lower = false : ", type,
                                "\n  return %0, %1 : ", type, ", ", type, "\n}"),
                            {given});
  for (std::int64_t m = 0; m < 2; ++m)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j) {
        Complex lower = 0, upper = 0;
        for (std::int64_t k = 0; k < 3; ++k) {
          lower += data(out[0])[m * 9 + i * 3 + k] * std::conj(data(out[0])[m * 9 + j * 3 + k]);
          upper += std::conj(data(out[1])[m * 9 + k * 3 + i]) * data(out[1])[m * 9 + k * 3 + j];
        }
        EXPECT_LT(std::abs(lower - data(given)[m * 9 + i * 3 + j]), 1e-12);
        EXPECT_LT(std::abs(upper - data(given)[m * 9 + i * 3 + j]), 1e-12);
        if (j > i) {
          EXPECT_EQ(data(out[0])[m * 9 + i * 3 + j], Complex(0));
        }
      }
}

TEST(Cholesky, of_what_is_not_positive_definite_is_nan_in_that_matrix_only) {
  const auto out = run_text(R"(func.func @main(%a: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
})",
                            {f32({2, 2, 2}, {1, 2, 2, 1, 4, 9, 2, 2})});
  const std::vector<double> x = values_of(out[0]);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(std::isnan(x[k]));
  EXPECT_EQ(std::vector<double>(x.begin() + 4, x.end()), (std::vector<double>{2, 0, 1, 1}));
}

TEST(TriangularSolve, solves_complex_systems_of_every_form) {
  std::mt19937 random(5);
  const Tensor a = complex_tensor({3, 3}, random);
  for (const bool left : {true, false})
    for (const bool lower : {true, false})
      for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        const std::string bt = left ? "tensor<3x2xcomplex<f64>>" : "tensor<2x3xcomplex<f64>>";
        const Tensor b = complex_tensor(left ? Dims{3, 2} : Dims{2, 3}, random);
        const auto x =
            run_text(cat("func.func @main(%a: tensor<3x3xcomplex<f64>>, %b: ", bt, ") -> ", bt,
                         " {\n  %0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = ",
                         left ? "true" : "false", ", lower = ", lower ? "true" : "false",
                         ", unit_diagonal = false, transpose_a = #stablehlo<transpose ", transpose,
                         ">}> : (tensor<3x3xcomplex<f64>>, ", bt, ") -> ", bt,
                         "\n  return %0 : ", bt, "\n}"),
                     {a, b})[0];
        const auto op = [&](int i, int j) {
          const bool swapped = transpose != "NO_TRANSPOSE";
          const int r = swapped ? j : i, c = swapped ? i : j;
          if (lower ? c > r : c < r) return Complex(0);
          const Complex e = data(a)[r * 3 + c];
          return transpose == "ADJOINT" ? std::conj(e) : e;
        };
        for (int i = 0; i < (left ? 3 : 2); ++i)
          for (int j = 0; j < (left ? 2 : 3); ++j) {
            Complex sum = 0;
            for (int k = 0; k < 3; ++k)
              sum += left ? op(i, k) * data(x)[k * 2 + j] : data(x)[i * 3 + k] * op(k, j);
            const Complex wanted = data(b)[left ? i * 2 + j : i * 3 + j];
            EXPECT_LT(std::abs(sum - wanted), 1e-9) << left << lower << transpose;
          }
      }
}

TEST(Qr, of_complex_matrices_multiplies_back) {
  std::mt19937 random(6);
  const Tensor a = complex_tensor({5, 3}, random);
  const auto out = run_text(
      R"(func.func @main(%a: tensor<5x3xcomplex<f64>>) -> (tensor<5x3xcomplex<f64>>, tensor<5x3xcomplex<f64>>) {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<5x3xcomplex<f64>>) -> (tensor<5x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<5x3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<5x3xcomplex<f64>>
  return %0#0, %1 : tensor<5x3xcomplex<f64>>, tensor<5x3xcomplex<f64>>
})",
      {a});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j) {
      Complex sum = 0;
      for (int k = 0; k <= j; ++k) sum += data(out[1])[i * 3 + k] * data(out[0])[k * 3 + j];
      EXPECT_LT(std::abs(sum - data(a)[i * 3 + j]), 1e-12);
    }
}

// With Q R = A, the sum of squares of R is that of A, and 2 A its gradient.
TEST(Qr, has_the_gradient_of_what_it_decomposes) {
  std::mt19937 random(8);
  const Tensor a = complex_tensor({4, 3}, random);
  const auto g = run_text(
      R"(func.func private @f(%a: tensor<4x3xcomplex<f64>>) -> tensor<f64> {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
  %row = stablehlo.iota dim = 0 : tensor<4x3xi32>
  %column = stablehlo.iota dim = 1 : tensor<4x3xi32>
  %upper = stablehlo.compare LE, %row, %column : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
  %abs = stablehlo.abs %0#0 : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xf64>
  %square = stablehlo.multiply %abs, %abs : tensor<4x3xf64>
  %none = stablehlo.constant dense<0.0> : tensor<4x3xf64>
  %r = stablehlo.select %upper, %square, %none : tensor<4x3xi1>, tensor<4x3xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %sum = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func @main(%a: tensor<4x3xcomplex<f64>>) -> tensor<4x3xcomplex<f64>> {
  %g = "mr.grad"(%a) {callee = @f} : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
  return %g : tensor<4x3xcomplex<f64>>
})",
      {a})[0];
  for (int i = 0; i < 12; ++i) EXPECT_LT(std::abs(data(g)[i] - 2.0 * std::conj(data(a)[i])), 1e-11);
}

TEST(Matrices, bad_programs_are_refused) {
  for (const auto& [program, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  %0 = stablehlo.cholesky "
            "%a, lower = true : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}",
            "square matrices"},
           {"func.func @main(%a: tensor<8xf32>) -> tensor<4xcomplex<f32>> {\n  %0 = stablehlo.fft "
            "%a, type = RFFT, length = [9] : (tensor<8xf32>) -> tensor<4xcomplex<f32>>\n  return "
            "%0 : tensor<4xcomplex<f32>>\n}",
            "tensor<9xf32>"},
           {"func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {\n  %0 = "
            "stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %b) : "
            "(tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>\n  return %0 : "
            "tensor<2x3xf32>\n}",
            "at least as many rows"}}) {
    try {
      (void)parse_module(program);
      ADD_FAILURE() << wanted;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(wanted), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace partita::ir
