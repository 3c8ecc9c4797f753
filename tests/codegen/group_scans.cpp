// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scans for devices of many items: along lines that lie side by side and that do not, of all lengths, in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/group_form.hpp"

namespace partita::testing {
namespace {

struct ScanCase {
  Dims dims;
  std::size_t dimension;
  bool is_reverse = false;
};

std::string scan_text(const ScanCase& c, const std::string& op, const std::string& init,
                      const std::string& dtype) {
  const std::string x = tensor(c.dims, dtype), scalar = tensor({}, dtype);
  std::string sizes, padding;
  for (std::size_t d = 0; d < c.dims.size(); ++d) {
    const std::int64_t size = d == c.dimension ? c.dims[d] : 1;
    sizes += cat(d > 0 ? ", " : "", size);
    padding += cat(d > 0 ? ", " : "", "[", c.is_reverse ? 0 : size - 1, ", ",
                   c.is_reverse ? size - 1 : 0, "]");
  }
  return cat("func.func @main(%x: ", x, ") -> ", x, " {\n  %i = stablehlo.constant dense<", init,
             "> : ", scalar, "\n  %0 = \"stablehlo.reduce_window\"(%x, %i) ({\n  ^bb0(%a: ", scalar,
             ", %b: ", scalar, "):\n    %1 = stablehlo.", op, " %a, %b : ", scalar,
             "\n    stablehlo.return %1 : ", scalar,
             "\n  }) {window_dimensions = array<i64: ", sizes, ">, padding = dense<[", padding,
             "]> : tensor<", c.dims.size(), "x2xi64>} : (", x, ", ", scalar, ") -> ", x,
             "\n  return %0 : ", x, "\n}\n");
}

TEST(GroupScans, equal_the_interpreter) {
  const ScanCase cases[] = {
      {{1}, 0},          {{7}, 0},          {{16}, 0},         {{17}, 0},         {{300}, 0},
      {{5, 1}, 1},       {{1, 5}, 0},       {{1000, 3}, 1},    {{1000, 6}, 1},    {{1000, 15}, 1},
      {{9, 16}, 1},      {{37, 129}, 1},    {{37, 129}, 0},    {{3, 4096}, 1},    {{3, 4099}, 1},
      {{100001}, 0},     {{131072}, 0},     {{2, 30000}, 1},   {{20000, 5}, 0},   {{5000, 33}, 0},
      {{2, 300, 40}, 1}, {{4, 7, 3, 5}, 2}, {{3, 1000, 2}, 1}, {{12, 100000}, 0}, {{0, 5}, 1},
      {{2, 0, 3}, 0},
  };
  for (ScanCase c : cases)
    for (const bool is_reverse : {false, true}) {
      c.is_reverse = is_reverse;
      expect_equal(scan_text(c, "add", "0.0", "f32"), "gpu", c.dims[c.dimension]);
      if (!is_reverse) expect_equal(scan_text(c, "maximum", "-1.0", "f32"), "gpu");
    }
  for (const ScanCase& c : {cases[11], cases[12], cases[14], cases[15]})
    for (const auto& [op, init, dtype] : {std::tuple{"add", "0.0", "bf16"},
                                          {"minimum", "3", "i32"},
                                          {"add", "0", "i8"},
                                          {"add", "0", "ui64"},
                                          {"add", "0.0", "f64"},
                                          {"or", "false", "i1"},
                                          {"add", "(0.0, 0.0)", "complex<f32>"},
                                          {"add", "(0.0, 0.0)", "complex<f64>"}})
      expect_equal(scan_text(c, op, init, dtype), "gpu", c.dims[c.dimension]);
  expect_equal(scan_text({{40, 15}, 1}, "multiply", "1.0", "f32"), "gpu", 15);
  for (const char* device : {"nvidia-sm_90", "amd-gfx90a"})
    for (const ScanCase& c : {cases[9], cases[12], cases[13], cases[17]})
      expect_equal(scan_text(c, "add", "0.0", "f32"), device, c.dims[c.dimension]);
}

/// x -> scale · x + offset, one after the other: composition does not commute.
std::string composed_text(std::int64_t n, bool is_reverse) {
  const std::string x = cat("tensor<3x", n, "xi32>");
  const std::string low = std::to_string(is_reverse ? 0 : n - 1),
                    high = std::to_string(is_reverse ? n - 1 : 0);
  return cat("func.func @main(%a: ", x, ", %b: ", x, ") -> (", x, ", ", x, R"() {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%a, %b, %one, %zero) ({
  ^bb0(%s: tensor<i32>, %o: tensor<i32>, %t: tensor<i32>, %p: tensor<i32>):
    %1 = stablehlo.multiply %s, %t : tensor<i32>
    %2 = stablehlo.multiply %o, %t : tensor<i32>
    %3 = stablehlo.add %2, %p : tensor<i32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<i32>
  }) {window_dimensions = array<i64: 1, )",
             n, ">, padding = dense<[[0, 0], [", low, ", ", high, "]]> : tensor<2x2xi64>} : (", x,
             ", ", x, ", tensor<i32>, tensor<i32>) -> (", x, ", ", x,
             ")\n  return %0#0, %0#1 : ", x, ", ", x, "\n}\n");
}

TEST(GroupScans, of_several_operands_keep_their_order) {
  for (const std::int64_t n : {5, 64, 257, 4096, 50001})
    for (const bool is_reverse : {false, true}) expect_equal(composed_text(n, is_reverse), "gpu");
}

TEST(GroupScans, few_long_lines_are_scanned_in_parts) {
  const auto kernels = [](const ScanCase& c) {
    return compile_for(scan_text(c, "add", "0.0", "f32"), "nvidia-sm_90").artifact.kernels.size();
  };
  EXPECT_EQ(kernels({{1000000}, 0}), 3U);
  EXPECT_EQ(kernels({{100000, 4}, 0}), 3U);
  EXPECT_EQ(kernels({{4096, 4096}, 1}), 1U);
  EXPECT_EQ(kernels({{128, 1000000}, 0}), 1U);
}

TEST(GroupScans, move_what_was_asked_for) {
  for (const ScanCase& c : {ScanCase{{4096, 1024}, 1},
                            {{4096, 1023}, 1},
                            {{4096, 1024}, 0},
                            {{1000000}, 0},
                            {{1000001}, 0},
                            {{100000, 16}, 1},
                            {{1000000, 64}, 0}})
    for (const char* dtype : {"f32", "bf16"}) expect_smooth(scan_text(c, "add", "0.0", dtype));
}

}  // namespace
}  // namespace partita::testing
