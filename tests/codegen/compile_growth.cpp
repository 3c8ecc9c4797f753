// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How the time of passes grows with a program: four times as many layers or loops take much less than
// sixteen times as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

constexpr int times_as_many = 4;
/// Linear time gives 4, and more where a program leaves the caches; quadratic time 16.
constexpr double most_growth = 10;
constexpr int runs = 3;

/// Layers of attention and of a network, and the squares' sum of what comes out.
std::string layers(int count) {
  const std::string x = "tensor<64x32xf32>", w = "tensor<32x32xf32>", s = "tensor<64x64xf32>",
                    v = "tensor<64xf32>", f = "tensor<f32>";
  std::string text = cat("func.func @main(%x0: ", x, ", %w: ", w, ") -> ", x,
                         " {\n  %zero = stablehlo.constant dense<0.0> : ", f,
                         "\n  %low = stablehlo.constant dense<0xFF800000> : ", f, "\n");
  for (int k = 0; k < count; ++k)
    text +=
        cat("  %p", k, " = stablehlo.dot_general %x", k, ", %w, contracting_dims = [1] x [0] : (",
            x, ", ", w, ") -> ", x, "\n  %s", k, " = stablehlo.dot_general %p", k, ", %x", k,
            ", contracting_dims = [1] x [1] : (", x, ", ", x, ") -> ", s, "\n  %m", k,
            " = stablehlo.reduce(%s", k,
            " init: %low) applies stablehlo.maximum across dimensions = [1] : (", s, ", ", f,
            ") -> ", v, "\n  %b", k, " = stablehlo.broadcast_in_dim %m", k, ", dims = [0] : (", v,
            ") -> ", s, "\n  %d", k, " = stablehlo.subtract %s", k, ", %b", k, " : ", s, "\n  %e",
            k, " = stablehlo.exponential %d", k, " : ", s, "\n  %t", k, " = stablehlo.reduce(%e", k,
            " init: %zero) applies stablehlo.add across dimensions = [1] : (", s, ", ", f, ") -> ",
            v, "\n  %c", k, " = stablehlo.broadcast_in_dim %t", k, ", dims = [0] : (", v, ") -> ",
            s, "\n  %q", k, " = stablehlo.divide %e", k, ", %c", k, " : ", s, "\n  %y", k,
            " = stablehlo.dot_general %q", k, ", %p", k, ", contracting_dims = [1] x [0] : (", s,
            ", ", x, ") -> ", x, "\n  %h", k, " = stablehlo.tanh %y", k, " : ", x, "\n  %x", k + 1,
            " = stablehlo.add %x", k, ", %h", k, " : ", x, "\n");
  return cat(text, "  return %x", count, " : ", x, "\n}\n");
}

/// Loops one after the other, each with a carry that does not change and one that nothing needs.
std::string loops(int count) {
  const std::string x = "tensor<16xf32>", i = "tensor<i32>";
  std::string text =
      cat("func.func @main(%x0: ", x, ") -> ", x, " {\n  %none = stablehlo.constant dense<0> : ", i,
          "\n  %one = stablehlo.constant dense<1> : ", i,
          "\n  %end = stablehlo.constant dense<5> : ", i, "\n");
  for (int k = 0; k < count; ++k)
    text += cat("  %r", k, ":4 = stablehlo.while(%n = %none, %a = %x", k,
                ", %same = %x0, %spare = %x", k, ") : ", i, ", ", x, ", ", x, ", ", x,
                "\n  cond {\n    %go = stablehlo.compare LT, %n, %end : (", i, ", ", i,
                ") -> tensor<i1>\n    stablehlo.return %go : tensor<i1>\n  } do {\n    %b = "
                "stablehlo.reverse %a, dims = [0] : ",
                x, "\n    %c = stablehlo.subtract %b, %same : ", x,
                "\n    %u = stablehlo.add %spare, %same : ", x,
                "\n    %m = stablehlo.add %n, %one : ", i,
                "\n    stablehlo.return %m, %c, %same, %u : ", i, ", ", x, ", ", x, ", ", x,
                "\n  }\n  %x", k + 1, " = stablehlo.add %r", k, "#1, %r", k, "#2 : ", x, "\n");
  return cat(text, "  return %x", count, " : ", x, "\n}\n");
}

/// The least of several times of all passes, in seconds, without code generation.
double seconds_of(const std::string& text) {
  const auto module = ir::parse_module(text, "growing");
  double least = 1e9;
  for (int run = 0; run < runs; ++run) {
    double all = 0;
    for (const auto& timing :
         compile(*module, {.target = "opencl", .has_variants = false}).report.timings)
      if (timing.name != "codegen") all += timing.seconds;
    least = std::min(least, all);
  }
  return least;
}

void expect_little_growth(const std::function<std::string(int)>& program, int count) {
  const double few = seconds_of(program(count)), many = seconds_of(program(times_as_many * count));
  EXPECT_LT(many, most_growth * few) << few << " s and " << many << " s";
}

TEST(CompileGrowth, of_layers) { expect_little_growth(layers, 60); }
TEST(CompileGrowth, of_loops) { expect_little_growth(loops, 60); }

}  // namespace
}  // namespace partita::testing
