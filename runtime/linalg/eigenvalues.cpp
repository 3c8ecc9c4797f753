// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What iterates: eigenvalues, singular values, Schur forms.  Iterations on what is not finite may not end.
#include "runtime/linalg/column_major.hpp"
#include "runtime/linalg/lapack.hpp"
#include "runtime/linalg/routines.hpp"

namespace partita::linalg {

using lapack::call;
using lapack::is_complex;
using lapack::Part;
using lapack::with_workspace;

namespace {

/// Whether the triangle that is read is finite; the other may hold anything.
template <class T>
bool has_finite_triangle(ColumnMajor<T>& a, bool lower) {
  for (int j = 0; j < *a.columns(); ++j)
    for (int i = lower ? j : 0; i < (lower ? *a.rows() : j + 1); ++i)
      if (!ColumnMajor<T>::finite(a(i, j))) return false;
  return true;
}

/// Real and imaginary parts that lie in two arrays.
template <class T>
void store_complex(const std::vector<T>& re, const std::vector<T>& im, std::byte* to) {
  for (std::size_t k = 0; k < re.size(); ++k) elements<std::complex<T>>(to)[k] = {re[k], im[k]};
}

/// Eigenvectors as LAPACK gives those of real matrices: of a pair of conjugate eigenvalues the real parts in one
/// column and the imaginary parts in the next.
template <class T>
ColumnMajor<std::complex<T>> unpacked(ColumnMajor<T>& packed, const std::vector<T>& imaginary) {
  const int n = *packed.rows();
  ColumnMajor<std::complex<T>> vectors(n, n);
  for (int j = 0; j < n; ++j) {
    const bool is_pair = imaginary[std::size_t(j)] != 0 && j + 1 < n;
    for (int i = 0; i < n; ++i)
      if (is_pair) {
        vectors(i, j) = {packed(i, j), packed(i, j + 1)};
        vectors(i, j + 1) = std::conj(vectors(i, j));
      } else {
        vectors(i, j) = packed(i, j);
      }
    j += is_pair ? 1 : 0;
  }
  return vectors;
}

}  // namespace

template <class T>
bool eigh(const MatrixCall& of, Operands in, Results out) {
  const std::int64_t extent = of.operands[0].dims[0];
  if (extent == 0) return true;
  const bool lower = of.has("lower");
  ColumnMajor<T> a(in[0], extent, extent);
  if (!has_finite_triangle(a, lower)) return false;
  const char job = 'V', triangle = lower ? 'L' : 'U';
  int info = 0;
  Part<T>* const values = elements<Part<T>>(out[1]);
  const auto run = [&](T* work, const int* size, [[maybe_unused]] Part<T>* reals,
                       [[maybe_unused]] const int* real_size, int* integers,
                       const int* integer_size) {
    if constexpr (is_complex<T>)
      call<T>("heevd", &job, &triangle, a.rows(), a.data(), a.leading(), values, work, size, reals,
              real_size, integers, integer_size, &info);
    else
      call<T>("syevd", &job, &triangle, a.rows(), a.data(), a.leading(), values, work, size,
              integers, integer_size, &info);
  };
  T said{};
  Part<T> reals_said{};
  int integers_said = 0;
  const int ask = -1;
  run(&said, &ask, &reals_said, &ask, &integers_said, &ask);
  const int size = lapack::workspace_size(said), real_size = lapack::workspace_size(reals_said),
            integer_size = std::max(1, integers_said);
  std::vector<T> work(std::size_t(size), T{});
  std::vector<Part<T>> reals(std::size_t(real_size), Part<T>{});
  std::vector<int> integers(std::size_t(integer_size), 0);
  run(work.data(), &size, reals.data(), &real_size, integers.data(), &integer_size);
  a.store(out[0]);
  return info == 0;
}

template <class T>
bool svd(const MatrixCall& of, Operands in, Results out) {
  const Dims& dims = of.operands[0].dims;
  const std::int64_t least = std::min(dims[0], dims[1]), most = std::max(dims[0], dims[1]);
  const bool has_vectors = of.has("compute_uv"), is_full = of.has("full_matrices");
  const std::int64_t u_columns = is_full ? dims[0] : least, v_rows = is_full ? dims[1] : least;
  if (least == 0) {
    if (has_vectors) {
      store_identity<T>(out[1], dims[0], u_columns);
      store_identity<T>(out[2], v_rows, dims[1]);
    }
    return true;
  }
  ColumnMajor<T> a(in[0], dims[0], dims[1]);
  if (!a.is_finite()) return false;
  ColumnMajor<T> u(has_vectors ? dims[0] : 1, has_vectors ? u_columns : 1),
      vt(has_vectors ? v_rows : 1, has_vectors ? dims[1] : 1);
  const char job = !has_vectors ? 'N' : is_full ? 'A' : 'S';
  int info = 0;
  Part<T>* const values = elements<Part<T>>(out[0]);
  std::vector<int> integers(std::size_t(8 * least));
  std::vector<Part<T>> reals;
  if constexpr (is_complex<T>)
    reals.resize(std::size_t(has_vectors ? std::max(5 * least * least + 5 * least,
                                                    2 * most * least + 2 * least * least + least)
                                         : 7 * least));
  with_workspace<T>([&](T* work, const int* size) {
    if constexpr (is_complex<T>)
      call<T>("gesdd", &job, a.rows(), a.columns(), a.data(), a.leading(), values, u.data(),
              u.leading(), vt.data(), vt.leading(), work, size, reals.data(), integers.data(),
              &info);
    else
      call<T>("gesdd", &job, a.rows(), a.columns(), a.data(), a.leading(), values, u.data(),
              u.leading(), vt.data(), vt.leading(), work, size, integers.data(), &info);
  });
  if (has_vectors) {
    u.store(out[1]);
    vt.store(out[2]);
  }
  return info == 0;
}

template <class T>
bool eig(const MatrixCall& of, Operands in, Results out) {
  const std::int64_t extent = of.operands[0].dims[0];
  if (extent == 0) return true;
  ColumnMajor<T> a(in[0], extent, extent);
  if (!a.is_finite()) return false;
  const bool left = of.has("compute_left"), right = of.has("compute_right");
  const char left_job = left ? 'V' : 'N', right_job = right ? 'V' : 'N';
  ColumnMajor<T> vl(left ? extent : 1, left ? extent : 1),
      vr(right ? extent : 1, right ? extent : 1);
  int info = 0;
  if constexpr (is_complex<T>) {
    std::vector<Part<T>> reals(std::size_t(2 * extent));
    with_workspace<T>([&](T* work, const int* size) {
      call<T>("geev", &left_job, &right_job, a.rows(), a.data(), a.leading(), elements<T>(out[0]),
              vl.data(), vl.leading(), vr.data(), vr.leading(), work, size, reals.data(), &info);
    });
    if (left) vl.store(out[1]);
    if (right) vr.store(out[left ? 2 : 1]);
  } else {
    std::vector<T> re(std::size_t(extent), T{}), im(std::size_t(extent), T{});
    with_workspace<T>([&](T* work, const int* size) {
      call<T>("geev", &left_job, &right_job, a.rows(), a.data(), a.leading(), re.data(), im.data(),
              vl.data(), vl.leading(), vr.data(), vr.leading(), work, size, &info);
    });
    store_complex(re, im, out[0]);
    if (left) unpacked(vl, im).store(out[1]);
    if (right) unpacked(vr, im).store(out[left ? 2 : 1]);
  }
  return info == 0;
}

template <class T>
bool schur(const MatrixCall& of, Operands in, Results out) {
  const std::int64_t extent = of.operands[0].dims[0];
  if (extent == 0) return true;
  ColumnMajor<T> a(in[0], extent, extent);
  if (!a.is_finite()) return false;
  const bool has_vectors = of.has("compute_vectors");
  const char job = has_vectors ? 'V' : 'N', sort = 'N';
  ColumnMajor<T> vectors(has_vectors ? extent : 1, has_vectors ? extent : 1);
  std::byte* const values_at = of.has("compute_values") ? out[has_vectors ? 2 : 1] : nullptr;
  const void* const select = nullptr;
  int info = 0, selected = 0;
  std::vector<int> unused(std::size_t(extent), 0);
  if constexpr (is_complex<T>) {
    std::vector<T> values(std::size_t(extent), T{});
    std::vector<Part<T>> reals(std::size_t(extent), Part<T>{});
    with_workspace<T>([&](T* work, const int* size) {
      call<T>("gees", &job, &sort, select, a.rows(), a.data(), a.leading(), &selected,
              values.data(), vectors.data(), vectors.leading(), work, size, reals.data(),
              unused.data(), &info);
    });
    if (values_at != nullptr) std::ranges::copy(values, elements<T>(values_at));
  } else {
    std::vector<T> re(std::size_t(extent), T{}), im(std::size_t(extent), T{});
    with_workspace<T>([&](T* work, const int* size) {
      call<T>("gees", &job, &sort, select, a.rows(), a.data(), a.leading(), &selected, re.data(),
              im.data(), vectors.data(), vectors.leading(), work, size, unused.data(), &info);
    });
    if (values_at != nullptr) store_complex(re, im, values_at);
  }
  a.store(out[0]);
  if (has_vectors) vectors.store(out[1]);
  return info == 0;
}

#define PARTITA_FOR_ELEMENTS(T)                                \
  template bool eigh<T>(const MatrixCall&, Operands, Results); \
  template bool svd<T>(const MatrixCall&, Operands, Results);  \
  template bool eig<T>(const MatrixCall&, Operands, Results);  \
  template bool schur<T>(const MatrixCall&, Operands, Results);
PARTITA_FOR_ELEMENTS(float)
PARTITA_FOR_ELEMENTS(double)
PARTITA_FOR_ELEMENTS(std::complex<float>)
PARTITA_FOR_ELEMENTS(std::complex<double>)
#undef PARTITA_FOR_ELEMENTS

}  // namespace partita::linalg
