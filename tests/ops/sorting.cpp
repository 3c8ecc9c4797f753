// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// sort, top_k and ApproxTopK: stability, orders that comparators give, dimensions, empty arrays.
#include <limits>

#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string sort_program(const std::string& type, const std::string& element,
                         const std::string& direction, const std::string& order, int dimension) {
  return cat("func.func @main(%a: ", type, ") -> ", type, " {\n  %0 = \"stablehlo.sort\"(%a) <{",
             "dimension = ", dimension, " : i64, is_stable = true}> ({\n  ^bb0(%p: tensor<",
             element, ">, %q: tensor<", element, ">):\n    %r = stablehlo.compare ", direction,
             ", %p, %q", order, " : (tensor<", element, ">, tensor<", element,
             ">) -> tensor<i1>\n    stablehlo.return %r : tensor<i1>\n  }) : (", type, ") -> ",
             type, "\n  return %0 : ", type, "\n}");
}

TEST(Sort, sorts_along_each_dimension) {
  const Tensor a = i32({2, 3}, {3, 1, 2, 0, 5, 4});
  EXPECT_EQ(values_of(run_text(sort_program("tensor<2x3xi32>", "i32", "LT", "", 1), {a})[0]),
            (std::vector<double>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(values_of(run_text(sort_program("tensor<2x3xi32>", "i32", "GT", "", -2), {a})[0]),
            (std::vector<double>{3, 5, 4, 0, 1, 2}));
}

TEST(Sort, total_order_puts_nan_last_and_negative_zero_first) {
  const auto out = run_text(sort_program("tensor<6xf32>", "f32", "LT", ", TOTALORDER", 0),
                            {f32({6}, {nan, 0.0, inf, -0.0, -inf, 1})});
  const std::vector<double> x = values_of(out[0]);
  EXPECT_EQ(x[0], -inf);
  EXPECT_TRUE(x[1] == 0 && std::signbit(x[1]));
  EXPECT_TRUE(x[2] == 0 && !std::signbit(x[2]));
  EXPECT_EQ(x[3], 1);
  EXPECT_EQ(x[4], inf);
  EXPECT_TRUE(std::isnan(x[5]));
}

TEST(Sort, is_a_permutation_whatever_the_comparator_says) {
  const auto out =
      run_text(sort_program("tensor<6xi32>", "i32", "NE", "", 0), {i32({6}, {3, 1, 2, 1, 5, 4})});
  std::vector<double> x = values_of(out[0]);
  std::sort(x.begin(), x.end());
  EXPECT_EQ(x, (std::vector<double>{1, 1, 2, 3, 4, 5}));
}

TEST(Sort, keeps_the_order_of_equals) {
  std::vector<double> keys, positions;
  for (int i = 0; i < 100; ++i) {
    keys.push_back(i * 7 % 5);
    positions.push_back(i);
  }
  const auto out = run_text(
      R"(func.func @main(%a: tensor<100xi32>, %b: tensor<100xi32>) -> (tensor<100xi32>, tensor<100xi32>) {
  %0:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i32>, %s: tensor<i32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<100xi32>, tensor<100xi32>) -> (tensor<100xi32>, tensor<100xi32>)
  return %0#0, %0#1 : tensor<100xi32>, tensor<100xi32>
})",
      {i32({100}, keys), i32({100}, positions)});
  const std::vector<double> k = values_of(out[0]), p = values_of(out[1]);
  for (std::size_t i = 1; i < k.size(); ++i) {
    EXPECT_LE(k[i - 1], k[i]);
    if (k[i - 1] == k[i]) {
      EXPECT_LT(p[i - 1], p[i]);
    }
  }
}

TEST(TopK, takes_the_first_of_equals_and_nan_as_largest) {
  const auto out = run_text(
      R"(func.func @main(%a: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = chlo.top_k(%a, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
})",
      {f32({2, 5}, {1, 3, 3, 0, 2, -1, nan, inf, -0.0, 0.0})});
  EXPECT_EQ(values_of(out[1]), (std::vector<double>{1, 2, 4, 1, 2, 4}));
  EXPECT_TRUE(std::isnan(values_of(out[0])[3]));
}

TEST(Sort, bad_programs_are_refused) {
  for (const auto& [program, wanted] : std::vector<std::pair<std::string, std::string>>{
           {sort_program("tensor<4xf32>", "f32", "LT", "", 1), "dimension within [-1, 1)"},
           {sort_program("tensor<4xf32>", "f64", "LT", "", 0), "argument 0 of the comparator"},
           {"func.func @main(%a: tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>) {\n  %0:2 = "
            "chlo.top_k(%a, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)\n  return "
            "%0#0, %0#1 : tensor<5xf32>, tensor<5xi32>\n}",
            "k within [0, 4]"}}) {
    try {
      (void)parse_module(program);
      ADD_FAILURE() << wanted;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(wanted), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace partita::ir
