// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What takes a known number of steps: reductions, triangular factors, tridiagonal systems.
#include <numeric>

#include "runtime/linalg/column_major.hpp"
#include "runtime/linalg/lapack.hpp"
#include "runtime/linalg/routines.hpp"

namespace partita::linalg {

using lapack::call;
using lapack::either;
using lapack::is_complex;
using lapack::Part;
using lapack::with_workspace;

namespace {

/// What row-major triangles are where columns lie together: those of the transposed matrix.
char flipped_triangle(bool lower) { return lower ? 'U' : 'L'; }

}  // namespace

// In place: a row-major A is the conjugate of the matrix that LAPACK sees, and so its factor is the transposed one.
template <class T>
bool cholesky(const MatrixCall& of, Operands in, Results out) {
  const int n = to_int(of.operands[0].dims[0]);
  if (n == 0) return true;
  T* const a = elements<T>(out[0]);
  std::copy_n(elements<T>(in[0]), std::int64_t(n) * n, a);
  const bool lower = of.has("lower");
  const char triangle = flipped_triangle(lower);
  int info = 0;
  call<T>("potrf", &triangle, &n, a, &n, &info);
  for (std::int64_t i = 0; i < n; ++i)
    std::fill_n(a + i * n + (lower ? i + 1 : 0), lower ? n - i - 1 : i, T(0));
  return info == 0 && ColumnMajor<T>::finite(a[std::int64_t(n) * n - 1]);
}

// In place: op(A) X = B is Xᵀ op(A)ᵀ = Bᵀ, and transposed matrices are what LAPACK sees.
template <class T>
bool triangular_solve(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[1].dims;
  const int rows = to_int(dims[1]), columns = to_int(dims[0]),
            extent = to_int(of.operands[0].dims[0]);
  T* const x = elements<T>(out[0]);
  std::copy_n(elements<T>(in[1]), dims[0] * dims[1], x);
  if (rows == 0 || columns == 0) return true;
  const char side = of.has("left") ? 'R' : 'L', triangle = flipped_triangle(of.has("lower")),
             transposed = of.has("adjoint")     ? 'C'
                          : of.has("transpose") ? 'T'
                                                : 'N',
             diagonal = of.has("unit_diagonal") ? 'U' : 'N';
  const T one = 1;
  call<T>("trsm", &side, &triangle, &transposed, &diagonal, &rows, &columns, &one,
          elements<T>(in[0]), &extent, x, &rows);
  return true;
}

template <class T>
bool qr(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  if (std::min(dims[0], dims[1]) == 0) return true;
  ColumnMajor<T> a(in[0], dims[0], dims[1]);
  int info = 0;
  with_workspace<T>([&](T* work, const int* size) {
    call<T>("geqrf", a.rows(), a.columns(), a.data(), a.leading(), elements<T>(out[1]), work, size,
            &info);
  });
  a.store(out[0]);
  return info == 0;
}

template <class T>
bool reflections(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  if (dims[1] == 0) return true;
  ColumnMajor<T> a(in[0], dims[0], dims[1]);
  const int count = to_int(of.operands[1].dims[0]);
  int info = 0;
  with_workspace<T>([&](T* work, const int* size) {
    call<T>(either<T>("orgqr", "ungqr"), a.rows(), a.columns(), &count, a.data(), a.leading(),
            elements<T>(in[1]), work, size, &info);
  });
  a.store(out[0]);
  return info == 0;
}

template <class T>
bool hessenberg(const MatrixCall& of, Operands in, Results out) {
  ColumnMajor<T> a(in[0], of.operands[0].dims[0], of.operands[0].dims[1]);
  const int first = 1;
  int info = 0;
  with_workspace<T>([&](T* work, const int* size) {
    call<T>("gehrd", a.rows(), &first, a.rows(), a.data(), a.leading(), elements<T>(out[1]), work,
            size, &info);
  });
  a.store(out[0]);
  return info == 0;
}

template <class T>
bool tridiagonal(const MatrixCall& of, Operands in, Results out) {
  ColumnMajor<T> a(in[0], of.operands[0].dims[0], of.operands[0].dims[1]);
  const char triangle = of.has("lower") ? 'L' : 'U';
  int info = 0;
  with_workspace<T>([&](T* work, const int* size) {
    call<T>(either<T>("sytrd", "hetrd"), &triangle, a.rows(), a.data(), a.leading(),
            elements<Part<T>>(out[1]), elements<Part<T>>(out[2]), elements<T>(out[3]), work, size,
            &info);
  });
  a.store(out[0]);
  return info == 0;
}

template <class T>
bool lu(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  ColumnMajor<T> a(in[0], dims[0], dims[1]);
  auto* const pivots = elements<std::int32_t>(out[1]);
  auto* const permutation = elements<std::int32_t>(out[2]);
  const std::int64_t steps = std::min(dims[0], dims[1]);
  std::iota(pivots, pivots + steps, 0);
  std::iota(permutation, permutation + dims[0], 0);
  // Which of several NaNs is the largest is nobody's choice.
  if (a.has_nan()) return false;
  if (steps == 0) return true;
  std::vector<int> chosen(std::size_t(steps), 0);
  int info = 0;
  call<T>("getrf", a.rows(), a.columns(), a.data(), a.leading(), chosen.data(), &info);
  for (std::int64_t k = 0; k < steps; ++k) {
    pivots[k] = chosen[std::size_t(k)] - 1;
    std::swap(permutation[k], permutation[pivots[k]]);
  }
  a.store(out[0]);
  return info >= 0;  // above 0: a pivot is 0
}

template <class T>
bool pivoted_qr(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  ColumnMajor<T> a(in[0], dims[0], dims[1]);
  auto* const order = elements<std::int32_t>(out[1]);
  std::iota(order, order + dims[1], 1);
  if (a.has_nan()) return false;
  std::copy_n(elements<std::int32_t>(in[1]), dims[1], order);
  int info = 0;
  std::vector<Part<T>> reals(std::size_t(2 * dims[1]), Part<T>{});
  with_workspace<T>([&](T* work, const int* size) {
    if constexpr (is_complex<T>)
      call<T>("geqp3", a.rows(), a.columns(), a.data(), a.leading(), order, elements<T>(out[2]),
              work, size, reals.data(), &info);
    else
      call<T>("geqp3", a.rows(), a.columns(), a.data(), a.leading(), order, elements<T>(out[2]),
              work, size, &info);
  });
  a.store(out[0]);
  return info == 0;
}

template <class T>
bool apply_reflections(const MatrixCall& of, Operands in, Results out) {
  const Dims &dims = of.operands[0].dims, &target = of.operands[2].dims;
  ColumnMajor<T> a(in[0], dims[0], dims[1]), c(in[2], target[0], target[1]);
  const int count = to_int(of.operands[1].dims[0]);
  const char side = of.has("left") ? 'L' : 'R', transposed = !of.has("transpose") ? 'N'
                                                             : is_complex<T>      ? 'C'
                                                                                  : 'T';
  int info = 0;
  if (count > 0 && target[0] * target[1] > 0)
    with_workspace<T>([&](T* work, const int* size) {
      call<T>(either<T>("ormqr", "unmqr"), &side, &transposed, c.rows(), c.columns(), &count,
              a.data(), a.leading(), elements<T>(in[1]), c.data(), c.leading(), work, size, &info);
    });
  c.store(out[0]);
  return info == 0;
}

namespace {

/// A tridiagonal matrix as LAPACK has it.
template <class T>
struct Tridiagonal {
  std::vector<T> below, diagonal, above;

  [[nodiscard]] T* first_below() {
    return below.data() + 1;  // the first element is of a row before the first
  }
};

/// Solves for b by factors in which pivots that are tiny beside the largest element of U are replaced.
template <class T>
int solve_perturbed(Tridiagonal<T>& a, ColumnMajor<T>& b) {
  const int n = *b.rows();
  std::vector<T> second_above(std::size_t(n), T{});
  std::vector<int> order(std::size_t(n), 0);
  int info = 0;
  call<T>("gttrf", &n, a.first_below(), a.diagonal.data(), a.above.data(), second_above.data(),
          order.data(), &info);
  Part<T> most = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    most = std::max(most, std::abs(a.diagonal[std::size_t(i)]));
    if (i + 1 < n) most = std::max(most, std::abs(a.above[std::size_t(i)]));
    if (i + 2 < n) most = std::max(most, std::abs(second_above[std::size_t(i)]));
  }
  const Part<T> least = most == 0 ? std::numeric_limits<Part<T>>::min()
                                  : most * std::numeric_limits<Part<T>>::epsilon();
  for (T& pivot : a.diagonal)
    if (std::abs(pivot) < least) pivot = std::real(pivot) < 0 ? -least : least;
  const char plain = 'N';
  call<T>("gttrs", &plain, &n, b.columns(), a.first_below(), a.diagonal.data(), a.above.data(),
          second_above.data(), order.data(), b.data(), b.leading(), &info);
  return info;
}

}  // namespace

template <class T>
bool tridiagonal_solve(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[3].dims;
  const std::int64_t n = dims[0];
  ColumnMajor<T> b(in[3], n, dims[1]);
  const auto copy = [&](std::size_t k) {
    return std::vector<T>(elements<T>(in[k]), elements<T>(in[k]) + n);
  };
  Tridiagonal<T> a{copy(0), copy(1), copy(2)};
  int info = 0;
  if (n > 0 && of.has("perturb_singular"))
    info = solve_perturbed(a, b);
  else if (n > 0)
    call<T>("gtsv", b.rows(), b.columns(), a.first_below(), a.diagonal.data(), a.above.data(),
            b.data(), b.leading(), &info);
  b.store(out[0]);
  return info == 0;
}

#define PARTITA_FOR_ELEMENTS(T)                                             \
  template bool cholesky<T>(const MatrixCall&, Operands, Results);          \
  template bool triangular_solve<T>(const MatrixCall&, Operands, Results);  \
  template bool qr<T>(const MatrixCall&, Operands, Results);                \
  template bool reflections<T>(const MatrixCall&, Operands, Results);       \
  template bool hessenberg<T>(const MatrixCall&, Operands, Results);        \
  template bool tridiagonal<T>(const MatrixCall&, Operands, Results);       \
  template bool lu<T>(const MatrixCall&, Operands, Results);                \
  template bool pivoted_qr<T>(const MatrixCall&, Operands, Results);        \
  template bool apply_reflections<T>(const MatrixCall&, Operands, Results); \
  template bool tridiagonal_solve<T>(const MatrixCall&, Operands, Results);
PARTITA_FOR_ELEMENTS(float)
PARTITA_FOR_ELEMENTS(double)
PARTITA_FOR_ELEMENTS(std::complex<float>)
PARTITA_FOR_ELEMENTS(std::complex<double>)
#undef PARTITA_FOR_ELEMENTS

}  // namespace partita::linalg
