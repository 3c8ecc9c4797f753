// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What loops' regions say of their carries.
#include "partita/ir/loops.hpp"

#include <gtest/gtest.h>

#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// Carries: a counter, a difference, what is subtracted from, what is passed on, a product.
constexpr const char* text = R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:5 = stablehlo.while(%a = %zero, %b = %zero, %c = %zero, %d = %n, %e = %three) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
   cond {
    %t = stablehlo.compare LT, %a, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %same = stablehlo.convert %a : tensor<i32>
    %up = stablehlo.add %three, %same : tensor<i32>
    %down = stablehlo.subtract %b, %n : tensor<i32>
    %back = stablehlo.subtract %three, %c : tensor<i32>
    %kept = stablehlo.convert %d : tensor<i32>
    %product = stablehlo.multiply %e, %e : tensor<i32>
    stablehlo.return %up, %down, %back, %kept, %product : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %r#0 : tensor<i32>
})";

TEST(Loops, carries_are_added_to_or_passed_on) {
  const auto module = parse_module(text, "loop");
  const Graph& main = *module->functions.front()->body;
  const Node& loop = *main.results.at(0).node;
  ASSERT_TRUE(loop.is("stablehlo.while"));
  const auto up = carry_step(loop, 0), down = carry_step(loop, 1);
  ASSERT_TRUE(up && down);
  EXPECT_TRUE(up->is_sum);
  EXPECT_EQ(integer_constant(up->by), 3);
  EXPECT_FALSE(down->is_sum);
  EXPECT_EQ(down->by, main.argument(0));
  EXPECT_FALSE(integer_constant(down->by));
  for (const std::size_t k : {2, 3, 4}) EXPECT_FALSE(carry_step(loop, k)) << k;
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(is_passed_on(loop, k), k == 3) << k;
}

/// A loop of a carry that grows by 2 and one that stays, with this condition.
std::unique_ptr<Module> loop_while(const std::string& direction, const std::string& sides) {
  return parse_module(cat(R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %m = %n) : tensor<i32>, tensor<i32>
  cond {
    %twice = stablehlo.add %m, %m : tensor<i32>
    %t = stablehlo.compare )",
                          direction, ", ", sides, R"( : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %up = stablehlo.add %i, %two : tensor<i32>
    stablehlo.return %up, %m : tensor<i32>, tensor<i32>
  }
  return %r#0 : tensor<i32>
})"),
                      "loop");
}

std::optional<CountedLoop> counted(const Module& module) {
  return counted_loop(*module.functions.front()->body->results.at(0).node);
}

TEST(Loops, are_counted_whichever_side_the_end_is_on) {
  const auto below = loop_while("LT", "%i, %m"), above = loop_while("GT", "%m, %i");
  for (const auto* module : {below.get(), above.get()}) {
    const auto loop = counted(*module);
    ASSERT_TRUE(loop);
    EXPECT_EQ(loop->induction, 0);
    EXPECT_EQ(loop->direction, "LT");
    EXPECT_EQ(loop->outer_end, module->functions.front()->body->argument(0));
    EXPECT_EQ(loop->rising_step(), 2);
  }
}

TEST(Loops, that_end_otherwise_say_what_is_known) {
  const auto other = loop_while("NE", "%i, %two"), computed = loop_while("LT", "%i, %twice"),
             fixed = loop_while("LT", "%m, %two");
  EXPECT_EQ(counted(*other)->direction, "NE");
  EXPECT_FALSE(counted(*other)->rising_step());
  EXPECT_TRUE(counted(*other)->outer_end);
  EXPECT_EQ(counted(*computed)->rising_step(), 2);
  EXPECT_FALSE(counted(*computed)->outer_end);
  EXPECT_FALSE(counted(*fixed));  // what is compared does not move
}

TEST(Loops, constants_are_scalars_of_integers) {
  const auto module = parse_module(R"(
func.func @main() -> (tensor<ui8>, tensor<f32>, tensor<1xi32>) {
  %a = stablehlo.constant dense<200> : tensor<ui8>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %c = stablehlo.constant dense<2> : tensor<1xi32>
  return %a, %b, %c : tensor<ui8>, tensor<f32>, tensor<1xi32>
})",
                                   "constants");
  const Graph& main = *module->functions.front()->body;
  EXPECT_EQ(integer_constant(main.results[0]), 200);
  EXPECT_FALSE(integer_constant(main.results[1]));
  EXPECT_FALSE(integer_constant(main.results[2]));
}

}  // namespace
}  // namespace partita::ir
