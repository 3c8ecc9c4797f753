// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatters for devices of many items: updates that meet, in every order, by one and two indices, in batches, outside of the
// operand; combiners of which the order matters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/text/draft_text.hpp"
#include "tests/codegen/group_form.hpp"

namespace partita::testing {
namespace {

/// Rows of %u go to rows of %x that are made of %r and the position; some are outside.
std::string rows_text(std::int64_t rows, std::int64_t updates, std::int64_t columns,
                      const std::string& op, const std::string& dtype) {
  const std::string x = tensor({rows, columns}, dtype), u = tensor({updates, columns}, dtype),
                    i = tensor({updates, 1}, "i32"), s = tensor({}, dtype);
  return cat("func.func @main(%x: ", x, ", %r: ", i, ", %u: ", u, ") -> ", x, R"( {
  %k = stablehlo.iota dim = 0 : )",
             i, "\n  %seven = stablehlo.constant dense<7> : ", i,
             "\n  %spread = stablehlo.constant dense<", rows + 2, "> : ", i,
             "\n  %one = stablehlo.constant dense<1> : ", i,
             "\n  %0 = stablehlo.multiply %r, %seven : ", i, "\n  %1 = stablehlo.add %0, %k : ", i,
             "\n  %2 = stablehlo.remainder %1, %spread : ", i, "\n  %3 = stablehlo.abs %2 : ", i,
             "\n  %4 = stablehlo.subtract %3, %one : ", i,
             "\n  %5 = \"stablehlo.scatter\"(%x, %4, %u) <{scatter_dimension_numbers = "
             "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n  ^bb0(%a: ",
             s, ", %b: ", s, "):\n", op, "    stablehlo.return %c : ", s, "\n  }) : (", x, ", ", i,
             ", ", u, ") -> ", x, "\n  return %5 : ", x, "\n}\n");
}

std::string simple(const std::string& op, const std::string& dtype) {
  return cat("    %c = stablehlo.", op, " %a, %b : tensor<", dtype, ">\n");
}

TEST(GroupScatters, equal_the_interpreter) {
  struct Case {
    std::int64_t rows, updates, columns;
  };
  for (const Case& c : {Case{10, 31, 8},
                        {10, 32, 8},
                        {50, 300, 33},
                        {1, 100, 5},
                        {7, 5000, 3},
                        {3000, 2500, 1},
                        {400, 9000, 16}})
    for (const char* dtype : {"f32", "i32"})
      expect_equal(rows_text(c.rows, c.updates, c.columns, simple("add", dtype), dtype), "gpu");
  for (const char* dtype : {"bf16", "f64", "i8", "ui64", "complex<f32>"})
    expect_equal(rows_text(50, 300, 9, simple("add", dtype), dtype), "gpu");
  expect_equal(rows_text(50, 300, 9, simple("maximum", "f32"), "f32"), "gpu");
  expect_equal(rows_text(40, 3000, 4, simple("add", "f32"), "f32"), "nvidia-sm_90");
}

TEST(GroupScatters, many_updates_that_can_meet_are_sorted) {
  const auto source = [](std::int64_t updates) {
    return compile_for(rows_text(10, updates, 8, simple("add", "f32"), "f32"), "gpu").source;
  };
  EXPECT_THAT(source(31), ::testing::Not(::testing::HasSubstr("sort_")));
  EXPECT_THAT(source(32), ::testing::HasSubstr("sort_"));
}

TEST(GroupScatters, integers_that_no_order_matters_to_are_combined_at_once) {
  using ::testing::HasSubstr, ::testing::Not;
  const std::pair<const char*, const char*> ops[] = {{"add", "combine_sum_at_once(b"},
                                                     {"maximum", "combine_max_at_once(b"},
                                                     {"minimum", "combine_min_at_once(b"},
                                                     {"and", "combine_logical_and_at_once(b"},
                                                     {"or", "combine_logical_or_at_once(b"}};
  for (const auto& [op, call] : ops)
    for (const char* dtype : {"i32", "ui32"}) {
      const std::string text = rows_text(9, 700, 5, simple(op, dtype), dtype);
      const std::string source = compile_for(text, "gpu").source;
      EXPECT_THAT(source, HasSubstr(call));
      EXPECT_THAT(source, Not(HasSubstr("sort_")));
      expect_equal(text, "gpu");
    }
  const auto source = [](const std::string& op, const std::string& dtype) {
    return compile_for(rows_text(9, 700, 5, op, dtype), "gpu").source;
  };
  // Another order gives other bits, the last one counts, or there are no such operations of the type.
  EXPECT_THAT(source(simple("add", "f32"), "f32"), Not(HasSubstr("_at_once")));
  EXPECT_THAT(source("    %c = stablehlo.add %b, %b : tensor<i32>\n", "i32"),
              Not(HasSubstr("_at_once")));
  EXPECT_THAT(source(simple("multiply", "i32"), "i32"), Not(HasSubstr("_at_once")));
  EXPECT_THAT(source(simple("add", "i64"), "i64"), Not(HasSubstr("_at_once")));
}

TEST(GroupScatters, the_text_of_what_is_combined_at_once_is_the_whole) {
  const std::string text = draft_after("lower", rows_text(9, 700, 5, simple("add", "i32"), "i32"));
  EXPECT_THAT(text, ::testing::HasSubstr("combine sum b"));
  EXPECT_EQ(kernel::print_draft(kernel::parse_draft(text, "t")), text);
}

TEST(GroupScatters, apply_updates_in_their_order) {
  // The last one stays; and what was there before is halved by each.
  expect_equal(rows_text(50, 700, 9, "    %c = stablehlo.add %b, %b : tensor<f32>\n", "f32"),
               "gpu");
  expect_equal(rows_text(50, 700, 9, R"(    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %d = stablehlo.multiply %a, %h : tensor<f32>
    %c = stablehlo.add %d, %b : tensor<f32>
)",
                         "f32"),
               "gpu");
}

TEST(GroupScatters, in_batches_and_by_two_indices) {
  expect_equal(
      R"(func.func @main(%x: tensor<3x5x6x4xf32>, %i: tensor<3x40x2xi32>, %u: tensor<3x40x4xf32>) -> tensor<3x5x6x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x5x6x4xf32>, tensor<3x40x2xi32>, tensor<3x40x4xf32>) -> tensor<3x5x6x4xf32>
  return %0 : tensor<3x5x6x4xf32>
}
)",
      "gpu");
  // Two operands at once, with windows that a dimension of the indices goes between.
  expect_equal(
      R"(func.func @main(%x: tensor<9x6xf32>, %y: tensor<9x6xi32>, %i: tensor<8x20xi32>, %u: tensor<8x6x20xf32>, %v: tensor<8x6x20xi32>) -> (tensor<9x6xf32>, tensor<9x6xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %c, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.add %b, %d : tensor<i32>
    %4 = stablehlo.select %1, %3, %b : tensor<i1>, tensor<i32>
    stablehlo.return %2, %4 : tensor<f32>, tensor<i32>
  }) : (tensor<9x6xf32>, tensor<9x6xi32>, tensor<8x20xi32>, tensor<8x6x20xf32>, tensor<8x6x20xi32>) -> (tensor<9x6xf32>, tensor<9x6xi32>)
  return %0#0, %0#1 : tensor<9x6xf32>, tensor<9x6xi32>
}
)",
      "gpu");
}

TEST(GroupScatters, move_what_was_asked_for) {
  expect_smooth(rows_text(32000, 4096, 768, simple("add", "f32"), "f32"));
}

}  // namespace
}  // namespace partita::testing
