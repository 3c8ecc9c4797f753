// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sorts for devices of many items: short and long slices along any dimension, several operands, comparators that are orders and
// such that are none, and first elements alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/group_form.hpp"

namespace partita::testing {
namespace {

/// A comparator's body: of %p and %q of the first operand, and %u and %v of the second, to %r.
struct Comparator {
  std::string dtype, body;
};

std::string compared(const std::string& direction, const std::string& dtype,
                     const std::string& order = "") {
  return cat("    %r = stablehlo.compare ", direction, ", %p, %q", order, " : (tensor<", dtype,
             ">, tensor<", dtype, ">) -> tensor<i1>\n");
}

/// What jax.lax.sort asks: zeros are equal, and so are NaNs.
const Comparator by_value{"f32", R"(    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %1 = stablehlo.compare EQ, %p, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %z, %p : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare NE, %p, %p : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %n, %2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.compare EQ, %q, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %z, %q : tensor<i1>, tensor<f32>
    %7 = stablehlo.compare NE, %q, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.select %7, %n, %6 : tensor<i1>, tensor<f32>
    %r = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
)"};

/// By the first operand, and among equals by the second, downwards.
const Comparator by_two{
    "i8", R"(    %1 = stablehlo.compare LT, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %2 = stablehlo.compare EQ, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %3 = stablehlo.compare GT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    %r = stablehlo.or %1, %4 : tensor<i1>
)"};

/// Goes around in circles.
const Comparator circular{"i32", R"(    %1 = stablehlo.subtract %p, %q : tensor<i32>
    %2 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.and %1, %2 : tensor<i32>
    %r = stablehlo.compare LT, %3, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
)"};

struct SortCase {
  Dims dims;
  std::int64_t dimension;
  std::int64_t first = 0;  ///< elements of each slice that are wanted; 0: all
};

/// Sorts %x together with positions, which come back in its order.
std::string sort_text(const SortCase& c, const Comparator& by) {
  const std::string x = tensor(c.dims, by.dtype), i = tensor(c.dims, "i32");
  Dims wanted = c.dims;
  if (c.first > 0) wanted[std::size_t(c.dimension)] = c.first;
  const std::string rx = tensor(wanted, by.dtype), ri = tensor(wanted, "i32");
  std::string text = cat("func.func @main(%x: ", x, ") -> (", rx, ", ", ri,
                         ") {\n  %i = stablehlo.iota dim = ", c.dimension, " : ", i,
                         "\n  %s:2 = \"stablehlo.sort\"(%x, %i) <{dimension = ", c.dimension,
                         " : i64, is_stable = true}> ({\n  ^bb0(%p: tensor<", by.dtype,
                         ">, %q: tensor<", by.dtype, ">, %u: tensor<i32>, %v: tensor<i32>):\n",
                         by.body, "    stablehlo.return %r : tensor<i1>\n  }) : (", x, ", ", i,
                         ") -> (", x, ", ", i, ")\n");
  if (c.first == 0) return cat(text, "  return %s#0, %s#1 : ", rx, ", ", ri, "\n}\n");
  std::string list;
  for (const std::int64_t e : wanted) list += cat(list.empty() ? "" : ", ", "0:", e);
  return cat(text, "  %a = stablehlo.slice %s#0 [", list, "] : (", x, ") -> ", rx,
             "\n  %b = stablehlo.slice %s#1 [", list, "] : (", i, ") -> ", ri,
             "\n  return %a, %b : ", rx, ", ", ri, "\n}\n");
}

TEST(GroupSorts, equal_the_interpreter) {
  const SortCase cases[] = {
      {{1}, 0},        {{2}, 0},       {{16}, 0},    {{17}, 0},    {{5, 100}, 1},  {{300, 7}, 1},
      {{3, 2048}, 1},  {{2, 2049}, 1}, {{10000}, 0}, {{70001}, 0}, {{40, 60}, 0},  {{3000, 3}, 0},
      {{2, 50, 6}, 1}, {{9, 1}, 1},    {{0, 4}, 1},  {{4, 0}, 1},  {{2, 20000}, 1}};
  const Comparator total{"f32", compared("LT", "f32", ", TOTALORDER")};
  for (const SortCase& c : cases) expect_equal(sort_text(c, total), "gpu");
  for (const SortCase& c : {cases[4], cases[7]})
    for (const Comparator& by :
         {by_value, by_two, circular, Comparator{"i32", compared("GT", "i32")},
          Comparator{"i8", compared("LE", "i8")}, Comparator{"i8", compared("NE", "i8")},
          Comparator{"bf16", compared("LT", "bf16")}, Comparator{"ui64", compared("LT", "ui64")},
          Comparator{"f64", compared("GE", "f64", ", TOTALORDER")},
          Comparator{"i1", compared("LT", "i1")}})
      expect_equal(sort_text(c, by), "gpu");
  for (const SortCase& c : {cases[9], cases[16]}) expect_equal(sort_text(c, circular), "gpu");
  for (const char* device : {"nvidia-sm_90", "amd-gfx90a"})
    for (const Comparator& by : {by_value, circular}) expect_equal(sort_text(cases[8], by), device);
}

TEST(GroupSorts, of_which_first_elements_are_read) {
  for (const SortCase& c : {SortCase{{6, 32}, 1, 5},
                            {{2, 50001}, 1, 40},
                            {{50, 100}, 0, 7},
                            {{3000, 2}, 0, 600},
                            {{400000}, 0, 256}}) {
    expect_equal(sort_text(c, by_value), "gpu");
  }
  expect_equal(sort_text({{2, 6000}, 1, 9}, {"i32", compared("GT", "i32")}), "gpu");
  const auto kernels = [](const SortCase& c) {
    return compile_for(sort_text(c, by_value), "nvidia-sm_90").artifact.kernels.size();
  };
  // Of these one takes the slices.
  EXPECT_EQ(kernels({{64, 2048}, 1, 40}), 2U);
  EXPECT_EQ(kernels({{64, 50000}, 1, 40}), 3U);
}

TEST(GroupSorts, move_what_was_asked_for) {
  const Comparator total{"f32", compared("LT", "f32", ", TOTALORDER")};
  for (const SortCase& c : {SortCase{{4096, 100}, 1}, {{64, 2048}, 1}, {{1000000}, 0}})
    expect_smooth(sort_text(c, total));
}

}  // namespace
}  // namespace partita::testing
