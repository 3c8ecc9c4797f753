// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Arrays that loops carry and of which each turn replaces a small part by what it reads there: they are not copied.
#include <gtest/gtest.h>

#include <string>

#include "kernel/ast/plan_steps.hpp"
#include "tests/codegen/on_targets.hpp"

namespace partita::testing {
namespace {

/// Elements that copies within loops move.
std::int64_t copied(const Steps& steps, bool in_loop = false) {
  std::int64_t total = 0;
  for (const Step& s : steps) {
    if (const Copy* copy = std::get_if<Copy>(&s.what); copy != nullptr && in_loop)
      total += copy->count.is_constant() ? copy->count.value() : 1'000'000;
    for (const Steps* inner : kernel::inner_steps(s)) total += copied(*inner, true);
  }
  return total;
}

/// @main(x: `type`, table: 40 of i32) whose loop over i of 0 to 38 has `body`, which makes %next of %c, the carried array,
/// and %i; results are the interpreter's, and a turn copies fewer than `most` elements.
void expect_turns(const std::string& type, const std::string& body, std::int64_t most = 8) {
  const std::string text =
      cat("func.func @main(%x: ", type, ", %table: tensor<40xi32>) -> ", type, R"( {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<38> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, )",
          type, R"(
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
)",
          body, R"(
    stablehlo.return %j, %next : tensor<i32>, )",
          type, "\n  }\n  return %r#1 : ", type, "\n}\n");
  const Asked asked(text);
  for (const std::string& target : targets_here()) {
    Artifact artifact = partita::compile(text, {.target = target}).artifact;
    EXPECT_LT(copied(artifact.plan.steps), most) << target << body;
    asked.expect_of(std::move(artifact), cat(target, body));
  }
}

constexpr const char* rows = "tensor<40x30xf32>";

TEST(CarriedArrays, RowsBecomeWhatIsMadeOfThem) {
  expect_turns(rows, R"(
    %row = stablehlo.dynamic_slice %c, %i, %zero, sizes = [1, 30] : (tensor<40x30xf32>, tensor<i32>, tensor<i32>) -> tensor<1x30xf32>
    %new = stablehlo.add %row, %row : tensor<1x30xf32>
    %next = stablehlo.dynamic_update_slice %c, %new, %i, %zero : (tensor<40x30xf32>, tensor<1x30xf32>, tensor<i32>, tensor<i32>) -> tensor<40x30xf32>)");
}

TEST(CarriedArrays, RowsBecomeWhatIsMadeOfOthers) {
  expect_turns(rows, R"(
    %at = stablehlo.dynamic_slice %table, %j, sizes = [1] : (tensor<40xi32>, tensor<i32>) -> tensor<1xi32>
    %from = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>
    %row = stablehlo.dynamic_slice %c, %from, %zero, sizes = [1, 30] : (tensor<40x30xf32>, tensor<i32>, tensor<i32>) -> tensor<1x30xf32>
    %turned = stablehlo.reverse %row, dims = [1] : tensor<1x30xf32>
    %next = stablehlo.dynamic_update_slice %c, %turned, %j, %zero : (tensor<40x30xf32>, tensor<1x30xf32>, tensor<i32>, tensor<i32>) -> tensor<40x30xf32>)");
}

TEST(CarriedArrays, ScattersOfWhatIsReadThere) {
  expect_turns(rows, R"(
    %row = stablehlo.dynamic_slice %c, %i, %zero, sizes = [1, 30] : (tensor<40x30xf32>, tensor<i32>, tensor<i32>) -> tensor<1x30xf32>
    %flat = stablehlo.reshape %row : (tensor<1x30xf32>) -> tensor<30xf32>
    %where = stablehlo.reshape %j : (tensor<i32>) -> tensor<1xi32>
    %next = "stablehlo.scatter"(%c, %where, %flat) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, indices_are_sorted = true, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<40x30xf32>, tensor<1xi32>, tensor<30xf32>) -> tensor<40x30xf32>)");
}

TEST(CarriedArrays, PlacesThatAreReadThere) {
  expect_turns("tensor<40xi32>", R"(
    %at = stablehlo.dynamic_slice %c, %i, sizes = [1] : (tensor<40xi32>, tensor<i32>) -> tensor<1xi32>
    %place = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>
    %new = stablehlo.add %at, %at : tensor<1xi32>
    %next = stablehlo.dynamic_update_slice %c, %new, %place : (tensor<40xi32>, tensor<1xi32>, tensor<i32>) -> tensor<40xi32>)");
}

// Half of the array and more: what it becomes depends on what is still there.
TEST(CarriedArrays, LargePartsStayRight) {
  expect_turns(rows, R"(
    %part = stablehlo.dynamic_slice %c, %i, %zero, sizes = [25, 30] : (tensor<40x30xf32>, tensor<i32>, tensor<i32>) -> tensor<25x30xf32>
    %turned = stablehlo.reverse %part, dims = [0, 1] : tensor<25x30xf32>
    %next = stablehlo.dynamic_update_slice %c, %turned, %j, %zero : (tensor<40x30xf32>, tensor<25x30xf32>, tensor<i32>, tensor<i32>) -> tensor<40x30xf32>)",
               1'000'000'000);
}

}  // namespace
}  // namespace partita::testing
