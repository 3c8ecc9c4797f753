// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values by hand of gather and scatter.
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

std::string gather_text(const std::string& operand, const std::string& indices,
                        const std::string& numbers, const std::string& sizes,
                        const std::string& out) {
  return cat("func.func @main(%a: ", operand, ", %i: ", indices, ") -> ", out,
             " {\n  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<",
             numbers, ">, indices_are_sorted = false, slice_sizes = array<i64: ", sizes, ">}> : (",
             operand, ", ", indices, ") -> ", out, "\n  return %0 : ", out, "\n}");
}

V counted(int n) {
  V v;
  for (int k = 0; k < n; ++k) v.push_back(k);
  return v;
}

TEST(Gather, RowsWithIndicesMovedInside) {
  const auto r = run_text(gather_text("tensor<4x2xi32>", "tensor<3x1xi32>",
                                      "offset_dims = [1], collapsed_slice_dims = [0], "
                                      "start_index_map = [0], index_vector_dim = 1",
                                      "1, 2", "tensor<3x2xi32>"),
                          {i32({4, 2}, counted(8)), i32({3, 1}, {2, -5, 9})});
  EXPECT_EQ(values_of(r[0]), V({4, 5, 0, 1, 6, 7}));
}

TEST(Gather, WindowsOfSeveralIndexComponents) {
  // Components in the order (column, row); windows of 2x2 in a 3x4 array.
  const auto r =
      run_text(gather_text("tensor<3x4xi32>", "tensor<2x2xi32>",
                           "offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1",
                           "2, 2", "tensor<2x2x2xi32>"),
               {i32({3, 4}, counted(12)), i32({2, 2}, {1, 0, 3, 2})});
  EXPECT_EQ(values_of(r[0]), V({1, 2, 5, 6, 6, 7, 10, 11}));
}

TEST(Gather, OffsetDimensionsBeforeBatchDimensions) {
  const auto r = run_text(gather_text("tensor<4x2xi32>", "tensor<3xi32>",
                                      "offset_dims = [0], collapsed_slice_dims = [0], "
                                      "start_index_map = [0], index_vector_dim = 1",
                                      "1, 2", "tensor<2x3xi32>"),
                          {i32({4, 2}, counted(8)), i32({3}, {3, 0, 1})});
  EXPECT_EQ(values_of(r[0]), V({6, 0, 2, 7, 1, 3}));
}

TEST(Gather, BatchingDimensions) {
  const auto r = run_text(
      gather_text("tensor<2x4xi32>", "tensor<3x2x1xi32>",
                  "collapsed_slice_dims = [1], operand_batching_dims = [0], "
                  "start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2",
                  "1, 1", "tensor<3x2xi32>"),
      {i32({2, 4}, counted(8)), i32({3, 2, 1}, {0, 0, 1, 2, 3, 3})});
  EXPECT_EQ(values_of(r[0]), V({0, 4, 1, 6, 3, 7}));
}

TEST(Gather, OfNoIndicesIsEmpty) {
  const auto r = run_text(gather_text("tensor<4x2xi32>", "tensor<0x1xi32>",
                                      "offset_dims = [1], collapsed_slice_dims = [0], "
                                      "start_index_map = [0], index_vector_dim = 1",
                                      "1, 2", "tensor<0x2xi32>"),
                          {i32({4, 2}, counted(8)), i32({0, 1}, {})});
  EXPECT_TRUE(values_of(r[0]).empty());
}

std::string scatter_text(const std::string& input, const std::string& indices,
                         const std::string& updates, const std::string& numbers,
                         const std::string& body) {
  return cat("func.func @main(%a: ", input, ", %i: ", indices, ", %u: ", updates, ") -> ", input,
             " {\n  %0 = \"stablehlo.scatter\"(%a, %i, %u) <{indices_are_sorted = false, "
             "scatter_dimension_numbers = #stablehlo.scatter<",
             numbers,
             ">, unique_indices = false}> ({\n  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n    ",
             body, "\n  }) : (", input, ", ", indices, ", ", updates, ") -> ", input,
             "\n  return %0 : ", input, "\n}");
}

constexpr const char* add =
    "%r = stablehlo.add %x, %y : tensor<i32>\n    stablehlo.return %r : tensor<i32>";
constexpr const char* assign = "stablehlo.return %y : tensor<i32>";
constexpr const char* rows =
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1";

TEST(Scatter, DuplicatesCombineAndOutsideIsSkipped) {
  const auto r =
      run_text(scatter_text("tensor<3x2xi32>", "tensor<4x1xi32>", "tensor<4x2xi32>", rows, add),
               {i32({3, 2}, V(6, 1)), i32({4, 1}, {1, -1, 1, 3}),
                i32({4, 2}, {10, 20, 30, 40, 50, 60, 70, 80})});
  EXPECT_EQ(values_of(r[0]), V({1, 1, 61, 81, 1, 1}));
}

TEST(Scatter, IndicesFarOutsideAreSkipped) {
  const auto r = run_text(
      scatter_text("tensor<3x2xi32>", "tensor<2x1xi32>", "tensor<2x2xi32>", rows, assign),
      {i32({3, 2}, V(6, 0)), i32({2, 1}, {2147483647, -2147483648.0}), i32({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(values_of(r[0]), V(6, 0));
}

TEST(Scatter, WindowsThatStickOutAreCut) {
  const auto r = run_text(
      scatter_text(
          "tensor<4xi32>", "tensor<1xi32>", "tensor<3xi32>",
          "update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0",
          assign),
      {i32({4}, V(4, 0)), i32({1}, {2}), i32({3}, {1, 2, 3})});
  EXPECT_EQ(values_of(r[0]), V({0, 0, 1, 2}));
}

TEST(Scatter, BatchingDimensions) {
  const auto r = run_text(
      scatter_text(
          "tensor<2x3xi32>", "tensor<2x2x1xi32>", "tensor<2x2xi32>",
          "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = "
          "[0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
          add),
      {i32({2, 3}, V(6, 0)), i32({2, 2, 1}, {0, 2, 1, 1}), i32({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(values_of(r[0]), V({1, 0, 2, 0, 7, 0}));
}

TEST(Scatter, AnyRegionSeesTheValueSoFar) {
  const auto r = run_text(
      scatter_text(
          "tensor<2xi32>", "tensor<3x1xi32>", "tensor<3xi32>",
          "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
          "%d = stablehlo.add %x, %x : tensor<i32>\n    %r = stablehlo.add %d, %y : tensor<i32>\n  "
          "  stablehlo.return %r : tensor<i32>"),
      {i32({2}, {1, 1}), i32({3, 1}, {0, 0, 0}), i32({3}, {1, 2, 3})});
  EXPECT_EQ(values_of(r[0]), V({((1 * 2 + 1) * 2 + 2) * 2 + 3, 1}));
}

}  // namespace
}  // namespace partita::ir
