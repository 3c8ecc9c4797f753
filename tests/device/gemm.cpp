// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Matrix products of the library against a plain loop.  Few cases in one process: on PoCL the first
// product of each precision builds CLBlast's kernels for seconds.
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

struct Case {
  const char* name;
  Gemm gemm;  ///< buffers are not used; BufferRef offsets stand for element offsets
  std::int64_t batch = 1;
  std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;
};

template <class T>
struct Arrays {
  std::vector<T> a, b, c;
};

std::int64_t last_index(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
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
Arrays<T> make_arrays(const Case& c) {
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
std::vector<T> expected_result(const Case& c, const Arrays<T>& in) {
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

std::vector<Case> cases() {
  std::vector<Case> all{
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

class DeviceGemm : public DeviceTest {
 protected:
  template <class T>
  std::vector<T> run(Device& on, const Case& c, const Arrays<T>& in) {
    const auto up = [&](const std::vector<T>& values) {
      auto buffer = on.allocate(values.size() * sizeof(T));
      on.write(*buffer, 0, std::as_bytes(std::span(values)));
      return buffer;
    };
    Gemm gemm = c.gemm;
    gemm.dtype = sizeof(T) == 4 ? DType::f32 : DType::f64;
    const auto a = up(in.a), b = up(in.b), result = up(in.c);
    on.gemm({.gemm = &gemm,
             .a = {a.get(), c.a_offset},
             .b = {b.get(), c.b_offset},
             .c = {result.get(), c.c_offset},
             .batch = c.batch});
    std::vector<T> out(in.c.size());
    on.read(*result, 0, std::as_writable_bytes(std::span(out)));
    return out;
  }
};

TEST_F(DeviceGemm, f32_equals_a_plain_loop) {
  for (const Case& c : cases()) {
    const auto in = make_arrays<float>(c);
    EXPECT_EQ(run(device(), c, in), expected_result(c, in)) << c.name;
  }
}

TEST_F(DeviceGemm, f64_equals_a_plain_loop) {
  if (!device().profile().has_fp64) GTEST_SKIP() << "the device has no fp64";
  for (const Case& c : cases()) {
    const auto in = make_arrays<double>(c);
    EXPECT_EQ(run(device(), c, in), expected_result(c, in)) << c.name;
  }
}

TEST_F(DeviceGemm, with_beta_0_ignores_what_c_held) {
  for (const Case& c : cases()) {
    if (c.gemm.beta != 0) continue;
    auto in = make_arrays<float>(c);
    const auto expected = expected_result(c, in);
    std::ranges::fill(in.c, std::numeric_limits<float>::quiet_NaN());
    const auto out = run(device(), c, in);
    for (std::int64_t b = 0; b < c.batch; ++b)
      for (std::int64_t i = 0; i < c.gemm.m; ++i)
        for (std::int64_t j = 0; j < c.gemm.n; ++j) {
          const auto at = std::size_t(c.c_offset + b * c.gemm.stride_c + i * c.gemm.ldc + j);
          ASSERT_EQ(out[at], expected[at]) << c.name;
        }
  }
}

TEST_F(DeviceGemm, without_an_inner_dimension_scales_c) {
  for (const Case& c : cases()) {
    if (c.gemm.k != 0) continue;
    const auto in = make_arrays<float>(c);
    EXPECT_EQ(run(device(), c, in), expected_result(c, in)) << c.name;
  }
}

TEST_F(DeviceGemm, names_the_code_of_a_refused_call) {
  const Case c{"bad", {.m = 4, .n = 4, .k = 4, .lda = 2, .ldb = 4, .ldc = 4}};
  const Arrays<float> in{std::vector<float>(16), std::vector<float>(16), std::vector<float>(16)};
  const std::string text = error_text(ErrorKind::device, [&] { (void)run(device(), c, in); });
  EXPECT_NE(text.find("kInvalidLeadDimA"), std::string::npos) << text;
  EXPECT_NE(text.find("m=4 n=4 k=4"), std::string::npos) << text;
}

TEST_F(DeviceGemm, first_calls_of_two_devices_at_once_are_safe) {
  auto two = open_devices({.devices_per_rank = 2});
  const Case c = cases().front();
  const auto in = make_arrays<float>(c);
  std::vector<std::vector<float>> out(2);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) out[i] = run(*two[i], c, in);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(out[0], expected_result(c, in));
  EXPECT_EQ(out[1], expected_result(c, in));
}

}  // namespace
}  // namespace partita::testing
