// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What ops on stacks of matrices share: evaluation in double precision, factors.
#pragma once

#include <complex>

#include "ops/support/support.hpp"

namespace partita::ir::ops {

/// Element (i, j) of one matrix of a stack.
template <class T>
struct MatrixView {
  T* data;
  std::int64_t rows, columns;
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * columns + j]; }
};

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

/// Calls f with a value of the type that elements of `d` are computed in: double, or complex of it.
template <class F>
void visit_wide(DType d, F&& f) {
  if (is_complex(d))
    f(std::complex<double>());
  else
    f(double());
}

template <class T>
inline constexpr DType wide_dtype = is_std_complex<T> ? DType::c128 : DType::f64;

/// The matrices of a stack, in an array of wide_dtype<T>.
template <class T>
std::vector<MatrixView<T>> matrices(HostArray& array) {
  const Dims& dims = array.type.dims;
  const std::int64_t rows = dims[dims.size() - 2], columns = dims.back();
  std::vector<MatrixView<T>> views;
  if (rows * columns == 0) return views;
  for (std::int64_t at = 0; at < array.type.count(); at += rows * columns)
    views.push_back({array.data<wide_dtype<T>>() + at, rows, columns});
  return views;
}

/// Floats or complex numbers, of rank 2 or more.
void expect_matrices(const InferContext& c, std::size_t operand);

/// The Hermitian matrices of which `v` has one triangle.
[[nodiscard]] Value hermitian_of_triangle(const DerivativeContext& c, Value v, bool lower);

/// The first dimensions of each operand and result share factors; the others are replicated.
[[nodiscard]] FactorRule stack_factors(const Node& node, std::size_t rank_of_stack);

}  // namespace partita::ir::ops
