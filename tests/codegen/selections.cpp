// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The first elements of sorted slices on devices whose items take slices: few and many, of short and long slices along any
// dimension, in parts and whole, of many equals, of elements that come in the worst order, and beside others.
#include <gtest/gtest.h>

#include "tests/codegen/group_form.hpp"
#include "tests/codegen/on_targets.hpp"

namespace partita::testing {
namespace {

/// The k largest of each row of what `made` makes of %x, as %y.
std::string top_of(const Dims& dims, std::int64_t k, const std::string& dtype,
                   const std::string& made) {
  Dims few = dims;
  few.back() = k;
  const std::string x = tensor(dims, dtype), v = tensor(few, dtype), i = tensor(few, "i32");
  return cat("func.func @main(%x: ", x, ") -> (", v, ", ", i, ") {\n", made,
             "  %t:2 = chlo.top_k(%y, k = ", k, ") : ", x, " -> (", v, ", ", i,
             ")\n  return %t#0, %t#1 : ", v, ", ", i, "\n}\n");
}

void expect_selected(const std::string& text, bool selects = true) {
  const Asked asked(text);
  for (const std::string& target : targets_here()) {
    Artifact artifact = partita::compile(text, {.target = target}).artifact;
    bool found = false;
    for (const auto& kernel : artifact.kernels)
      found = found || kernel.name.starts_with("first_of");
    EXPECT_EQ(found, selects) << target << ": " << text;
    asked.expect_of(std::move(artifact), cat(target, ": ", text));
  }
}

std::string twice(const Dims& dims, const std::string& dtype) {
  return cat("  %y = stablehlo.add %x, %x : ", tensor(dims, dtype), "\n");
}

TEST(Selections, OfShortAndLongSlices) {
  struct Case {
    Dims dims;
    std::int64_t k;
  };
  for (const Case& c : {Case{{40}, 3},
                        {{7, 129}, 32},
                        {{7, 140}, 33},
                        {{3, 4, 1000}, 250},
                        {{70, 2000}, 100},
                        {{100'001}, 1},
                        {{100'001}, 20},
                        {{100'001}, 300},
                        {{32'773}, 20},
                        {{2, 65'537}, 16'000},
                        {{80, 33'000}, 40}})
    expect_selected(top_of(c.dims, c.k, "f32", twice(c.dims, "f32")));
  expect_selected(top_of({40}, 11, "f32", twice({40}, "f32")), false);
}

// Sums of integers that wrap to few values: equals keep their order.
TEST(Selections, OfManyEquals) {
  for (const std::int64_t k : {5, 200})
    for (const Dims& dims : {Dims{3, 5000}, Dims{200'000}})
      expect_selected(top_of(dims, k, "i8", twice(dims, "i8")));
  expect_selected(top_of({50'000}, 150, "i1", "  %y = stablehlo.not %x : tensor<50000xi1>\n"));
  expect_selected(top_of({2, 900}, 100, "bf16", twice({2, 900}, "bf16")));
}

// Each element goes before all that were there.
TEST(Selections, OfElementsInTheWorstOrder) {
  for (const std::int64_t k : {8, 700})
    expect_selected(
        top_of({100'000}, k, "i32", "  %y = stablehlo.iota dim = 0 : tensor<100000xi32>\n"));
}

/// The first `k` along dimension 0 of what jax.lax.sort of (%x, %p) gives, which tells no zeros apart.
std::string first_rows(std::int64_t n, std::int64_t k) {
  const std::string all = tensor({n, 2}, "f32"), few = tensor({k, 2}, "f32");
  return cat(
      "func.func @main(%x: ", all, ", %p: ", all, ") -> (", few, ", ", few,
      ") {\n  %s:2 = \"stablehlo.sort\"(%x, %p) <{dimension = 0 : i64, is_stable = true}> ({\n"
      R"(  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.compare EQ, %a, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %z, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare EQ, %b, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %z, %b : tensor<i1>, tensor<f32>
    %r = stablehlo.compare LT, %2, %4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
)",
      "  }) : (", all, ", ", all, ") -> (", all, ", ", all, ")\n  %v = stablehlo.slice %s#0 [0:", k,
      ", 0:2] : (", all, ") -> ", few, "\n  %w = stablehlo.slice %s#1 [0:", k, ", 0:2] : (", all,
      ") -> ", few, "\n  return %v, %w : ", few, ", ", few, "\n}\n");
}

TEST(Selections, AlongOtherDimensionsBesideOthers) {
  for (const std::int64_t k : {4, 50}) expect_selected(first_rows(300, k));
  expect_selected(first_rows(33'000, 50));
}

}  // namespace
}  // namespace partita::testing
