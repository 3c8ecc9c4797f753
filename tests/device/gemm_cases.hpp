// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products that every device is tested on, and what a plain loop makes of them.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "partita/base/dtype.hpp"
#include "partita/device/device.hpp"

namespace partita::testing {

struct GemmCase {
  const char* name;
  Gemm gemm;  ///< buffers are not used; BufferRef offsets stand for element offsets
  std::int64_t batch = 1;
  std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;
};

template <class T>
struct Arrays {
  std::vector<T> a, b, c;
};

inline std::int64_t last_index(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return rows == 0 || columns == 0 ? 0 : (rows - 1) * ld + columns;
}

// Small integers, so that sums are exact in any order.
template <class T>
std::vector<T> random_values(std::int64_t count, std::mt19937& random) {
  std::uniform_int_distribution<int> values(-4, 4);
  std::vector<T> out(static_cast<std::size_t>(count));
  for (T& x : out) x = T(values(random));
  return out;
}

template <class T>
Arrays<T> make_arrays(const GemmCase& c) {
  const Gemm& g = c.gemm;
  std::mt19937 random(7);
  const auto size = [&](std::int64_t rows, std::int64_t columns, std::int64_t ld,
                        std::int64_t stride, std::int64_t offset) {
    return offset + std::max<std::int64_t>(c.batch - 1, 0) * stride +
           last_index(rows, columns, ld) + 3;
  };
  const auto a_rows = g.transpose_a ? g.k : g.m;
  const auto b_rows = g.transpose_b ? g.n : g.k;
  return {random_values<T>(size(a_rows, g.m + g.k - a_rows, g.lda, g.stride_a, c.a_offset), random),
          random_values<T>(size(b_rows, g.k + g.n - b_rows, g.ldb, g.stride_b, c.b_offset), random),
          random_values<T>(size(g.m, g.n, g.ldc, g.stride_c, c.c_offset), random)};
}

template <class T>
std::vector<T> expected_result(const GemmCase& c, const Arrays<T>& in) {
  const Gemm& g = c.gemm;
  std::vector<T> out = in.c;
  for (std::int64_t batch = 0; batch < c.batch; ++batch)
    for (std::int64_t i = 0; i < g.m; ++i)
      for (std::int64_t j = 0; j < g.n; ++j) {
        double sum = 0;
        for (std::int64_t p = 0; p < g.k; ++p) {
          const auto at =
              c.a_offset + batch * g.stride_a + (g.transpose_a ? p * g.lda + i : i * g.lda + p);
          const auto bt =
              c.b_offset + batch * g.stride_b + (g.transpose_b ? j * g.ldb + p : p * g.ldb + j);
          sum += double(in.a[std::size_t(at)]) * double(in.b[std::size_t(bt)]);
        }
        T& result = out[std::size_t(c.c_offset + batch * g.stride_c + i * g.ldc + j)];
        result = T(g.alpha * sum + (g.beta == 0 ? 0 : g.beta * double(result)));
      }
  return out;
}

inline std::vector<GemmCase> gemm_cases() {
  std::vector<GemmCase> all{
      {"plain", {.m = 5, .n = 7, .k = 3, .lda = 3, .ldb = 7, .ldc = 7}},
      {"one_element", {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1}},
      {"transpose_a_with_wide_rows_and_offsets",
       {.transpose_a = true, .m = 6, .n = 4, .k = 5, .alpha = 2, .lda = 9, .ldb = 6, .ldc = 8},
       1,
       2,
       3,
       5},
      {"transpose_b_adding",
       {.transpose_b = true, .m = 4, .n = 9, .k = 6, .beta = 1, .lda = 6, .ldb = 6, .ldc = 9}},
      {"both_transposed",
       {.transpose_a = true,
        .transpose_b = true,
        .m = 3,
        .n = 4,
        .k = 5,
        .beta = 0.5,
        .lda = 3,
        .ldb = 5,
        .ldc = 4}},
      {"large_enough_for_scratch_memory",
       {.m = 200, .n = 130, .k = 450, .lda = 450, .ldb = 130, .ldc = 130}},
      {"large_at_offsets",
       {.transpose_b = true,
        .m = 257,
        .n = 129,
        .k = 511,
        .beta = 1,
        .lda = 515,
        .ldb = 513,
        .ldc = 131},
       1,
       1,
       2,
       3},
      {"batched",
       {.m = 4,
        .n = 5,
        .k = 6,
        .lda = 6,
        .ldb = 5,
        .ldc = 5,
        .stride_a = 24,
        .stride_b = 30,
        .stride_c = 20},
       3},
      {"batched_sharing_b",
       {.transpose_a = true,
        .m = 4,
        .n = 5,
        .k = 6,
        .beta = 1,
        .lda = 4,
        .ldb = 5,
        .ldc = 5,
        .stride_a = 24,
        .stride_b = 0,
        .stride_c = 31},
       5,
       1,
       1,
       1},
      {"no_inner_dimension", {.m = 3, .n = 4, .k = 0, .lda = 1, .ldb = 4, .ldc = 6}, 1, 0, 0, 2},
      {"no_inner_dimension_scaling",
       {.m = 3, .n = 4, .k = 0, .beta = 3, .lda = 1, .ldb = 4, .ldc = 4, .stride_c = 12},
       2},
      {"no_rows", {.m = 0, .n = 4, .k = 2, .lda = 2, .ldb = 4, .ldc = 4}},
      {"no_columns", {.m = 4, .n = 0, .k = 2, .lda = 2, .ldb = 1, .ldc = 1}},
      {"no_batch",
       {.m = 2,
        .n = 2,
        .k = 2,
        .lda = 2,
        .ldb = 2,
        .ldc = 2,
        .stride_a = 4,
        .stride_b = 4,
        .stride_c = 4},
       0},
  };
  return all;
}

/// The bits of bf16 nearest to such numbers.
template <class T>
std::vector<std::uint16_t> bf16_bits(const std::vector<T>& values) {
  std::vector<std::uint16_t> bits;
  for (const T& x : values) bits.push_back(SmallFloatOf<DType::bf16>::encode(double(x)));
  return bits;
}

/// With operands as they are, or as bf16.
template <class T>
std::vector<T> run_gemm(Device& on, const GemmCase& c, const Arrays<T>& in,
                        bool reads_bf16 = false) {
  const auto up = [&](const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    auto buffer = on.allocate(bytes.size());
    on.write(*buffer, 0, bytes);
    return buffer;
  };
  Gemm gemm = c.gemm;
  gemm.dtype = sizeof(T) == 4 ? DType::f32 : DType::f64;
  gemm.reads_bf16 = reads_bf16;
  const auto a = reads_bf16 ? up(bf16_bits(in.a)) : up(in.a);
  const auto b = reads_bf16 ? up(bf16_bits(in.b)) : up(in.b);
  const auto result = up(in.c);
  on.gemm({.gemm = &gemm,
           .a = {a.get(), c.a_offset},
           .b = {b.get(), c.b_offset},
           .c = {result.get(), c.c_offset},
           .batch = c.batch});
  std::vector<T> out(in.c.size());
  on.read(*result, 0, std::as_writable_bytes(std::span(out)));
  return out;
}

}  // namespace partita::testing
