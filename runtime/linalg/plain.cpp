// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/linalg/plain.hpp"

#include "runtime/linalg/column_major.hpp"
#include "runtime/linalg/lapack.hpp"

namespace partita::linalg::plain {
namespace {

using lapack::Part;

template <class T>
T conjugate(T x) {
  if constexpr (lapack::is_complex<T>)
    return std::conj(x);
  else
    return x;
}

template <class T>
struct RowMajor {
  T* data;
  std::int64_t rows, columns;
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * columns + j]; }
};

template <class T>
RowMajor<T> copy_of(const std::byte* from, std::byte* to, const Dims& dims) {
  std::copy_n(elements<T>(from), dims[0] * dims[1], elements<T>(to));
  return {elements<T>(to), dims[0], dims[1]};
}

/// Column c of m, from row j on, minus scale v (vᴴ it), v being 1 and what is below of (j, j) in `vs`.
template <class T>
void reflect(const RowMajor<const T>& vs, std::int64_t j, T scale, const RowMajor<T>& m,
             std::int64_t c) {
  T dot = m(j, c);
  for (std::int64_t i = j + 1; i < m.rows; ++i) dot += conjugate(vs(i, j)) * m(i, c);
  const T by = scale * dot;
  m(j, c) -= by;
  for (std::int64_t i = j + 1; i < m.rows; ++i) m(i, c) -= vs(i, j) * by;
}

}  // namespace

template <class T>
bool cholesky(const MatrixCall& of, Operands in, Results out) {
  const RowMajor<T> a = copy_of<T>(in[0], out[0], of.operands[0].dims);
  const bool lower = of.has("lower");
  // Element (i, j) of the lower factor; the upper one is its adjoint.
  const auto at = [&](std::int64_t i, std::int64_t j) -> T& { return lower ? a(i, j) : a(j, i); };
  for (std::int64_t j = 0; j < a.rows; ++j) {
    Part<T> pivot = std::real(at(j, j));
    for (std::int64_t k = 0; k < j; ++k) pivot -= std::norm(at(j, k));
    if (!(pivot > 0)) return false;
    at(j, j) = std::sqrt(pivot);
    for (std::int64_t i = j + 1; i < a.rows; ++i) {
      T sum = at(i, j);
      for (std::int64_t k = 0; k < j; ++k) sum -= at(i, k) * conjugate(at(j, k));
      at(i, j) = sum / at(j, j);
    }
    for (std::int64_t i = 0; i < j; ++i) at(i, j) = T(0);
  }
  return true;
}

template <class T>
bool triangular_solve(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  const RowMajor<const T> a{elements<T>(in[0]), dims[0], dims[1]};
  const RowMajor<T> x = copy_of<T>(in[1], out[0], of.operands[1].dims);
  const bool left = of.has("left"), adjoint = of.has("adjoint");
  // Without `left` the transposed system is solved for the rows of x.
  const bool transposed = (adjoint || of.has("transpose")) == left;
  const bool forward = of.has("lower") != transposed;
  const auto coefficient = [&](std::int64_t i, std::int64_t j) {
    const T e = transposed ? a(j, i) : a(i, j);
    return adjoint ? conjugate(e) : e;
  };
  const std::int64_t lines = left ? x.columns : x.rows;
  for (std::int64_t line = 0; line < lines; ++line) {
    const auto at = [&](std::int64_t i) -> T& { return left ? x(i, line) : x(line, i); };
    for (std::int64_t step = 0; step < a.rows; ++step) {
      const std::int64_t i = forward ? step : a.rows - 1 - step;
      T sum = at(i);
      for (std::int64_t s = 0; s < step; ++s) {
        const std::int64_t j = forward ? s : a.rows - 1 - s;
        sum -= coefficient(i, j) * at(j);
      }
      at(i) = of.has("unit_diagonal") ? sum : sum / coefficient(i, i);
    }
  }
  return true;
}

template <class T>
bool qr(const MatrixCall& of, Operands in, Results out) {
  const RowMajor<T> a = copy_of<T>(in[0], out[0], of.operands[0].dims);
  T* const taus = elements<T>(out[1]);
  for (std::int64_t j = 0; j < std::min(a.rows, a.columns); ++j) {
    Part<T> below = 0;
    for (std::int64_t i = j + 1; i < a.rows; ++i) below += std::norm(a(i, j));
    const T alpha = a(j, j);
    taus[j] = T(0);
    if (below == 0 && std::imag(alpha) == 0) continue;
    const Part<T> length = std::sqrt(std::norm(alpha) + below),
                  beta = std::real(alpha) < 0 ? length : -length;
    taus[j] = (T(beta) - alpha) / beta;
    for (std::int64_t i = j + 1; i < a.rows; ++i) a(i, j) /= alpha - beta;
    const RowMajor<const T> vs{a.data, a.rows, a.columns};
    for (std::int64_t c = j + 1; c < a.columns; ++c) reflect(vs, j, conjugate(taus[j]), a, c);
    a(j, j) = beta;
  }
  return true;
}

template <class T>
bool reflections(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  const RowMajor<const T> vs{elements<T>(in[0]), dims[0], dims[1]};
  store_identity<T>(out[0], dims[0], dims[1]);
  const RowMajor<T> q{elements<T>(out[0]), dims[0], dims[1]};
  for (std::int64_t j = of.operands[1].dims[0]; j-- > 0;)
    for (std::int64_t c = 0; c < q.columns; ++c) reflect(vs, j, elements<T>(in[1])[j], q, c);
  return true;
}

#define PARTITA_FOR_ELEMENTS(T)                                            \
  template bool cholesky<T>(const MatrixCall&, Operands, Results);         \
  template bool triangular_solve<T>(const MatrixCall&, Operands, Results); \
  template bool qr<T>(const MatrixCall&, Operands, Results);               \
  template bool reflections<T>(const MatrixCall&, Operands, Results);
PARTITA_FOR_ELEMENTS(float)
PARTITA_FOR_ELEMENTS(double)
PARTITA_FOR_ELEMENTS(std::complex<float>)
PARTITA_FOR_ELEMENTS(std::complex<double>)
#undef PARTITA_FOR_ELEMENTS

}  // namespace partita::linalg::plain
