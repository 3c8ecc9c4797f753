// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Matrices as LAPACK has them, and their way from and to row-major arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "partita/base/error.hpp"

namespace partita::linalg {

/// Extents of LAPACK's interface.
inline int to_int(std::int64_t extent) {
  if (extent > std::numeric_limits<int>::max())
    throw_user_error(cat("expected matrices with extents below 2^31, found ", extent));
  return int(extent);
}

/// to[j, i] = from[i, j], both row-major, by squares that stay in the cache.
template <class T>
void transpose(const T* from, T* to, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t side = 32;
  for (std::int64_t i0 = 0; i0 < rows; i0 += side)
    for (std::int64_t j0 = 0; j0 < columns; j0 += side)
      for (std::int64_t i = i0; i < std::min(rows, i0 + side); ++i)
        for (std::int64_t j = j0; j < std::min(columns, j0 + side); ++j)
          to[j * rows + i] = from[i * columns + j];
}

template <class T>
const T* elements(const std::byte* memory) {
  return reinterpret_cast<const T*>(memory);
}
template <class T>
T* elements(std::byte* memory) {
  return reinterpret_cast<T*>(memory);
}

template <class T>
class ColumnMajor {
 public:
  ColumnMajor(std::int64_t row_count, std::int64_t column_count)
      : rows_(to_int(row_count)),
        columns_(to_int(column_count)),
        data_(std::size_t(row_count * column_count)) {}
  /// A copy of a row-major array.
  ColumnMajor(const std::byte* from, std::int64_t row_count, std::int64_t column_count)
      : ColumnMajor(row_count, column_count) {
    transpose(elements<T>(from), data_.data(), row_count, column_count);
  }
  void store(std::byte* to) const { transpose(data_.data(), elements<T>(to), columns_, rows_); }

  [[nodiscard]] T& operator()(int i, int j) {
    return data_[std::size_t(j) * std::size_t(rows_) + std::size_t(i)];
  }
  [[nodiscard]] T* data() { return data_.data(); }
  // By address, as LAPACK takes them.
  [[nodiscard]] const int* rows() const { return &rows_; }
  [[nodiscard]] const int* columns() const { return &columns_; }
  /// What lies between columns: at least 1.
  [[nodiscard]] const int* leading() const { return rows_ == 0 ? &one : &rows_; }
  [[nodiscard]] bool is_finite() const { return std::ranges::all_of(data_, finite); }
  [[nodiscard]] bool has_nan() const {
    return std::ranges::any_of(
        data_, [](const T& x) { return std::isnan(std::real(x)) || std::isnan(std::imag(x)); });
  }
  [[nodiscard]] static bool finite(const T& x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  }

 private:
  static constexpr int one = 1;
  int rows_, columns_;
  std::vector<T> data_;
};

/// A row-major unit matrix.
template <class T>
void store_identity(std::byte* to, std::int64_t rows, std::int64_t columns) {
  T* const matrix = elements<T>(to);
  std::fill_n(matrix, rows * columns, T(0));
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) matrix[i * columns + i] = T(1);
}

}  // namespace partita::linalg
