// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values by hand of ops that move elements; examples of the StableHLO specification where it has some.
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

/// A function of one op: `op` is its text after "%r = ".
std::vector<Tensor> run_op(const std::string& arguments, const std::string& op,
                           const std::string& result, const std::vector<Tensor>& inputs) {
  return run_text(cat("func.func @main(", arguments, ") -> ", result, " {\n  %r = ", op,
                      "\n  return %r : ", result, "\n}"),
                  inputs);
}

TEST(Constant, SplatsAndEmptyArrays) {
  EXPECT_EQ(values_of(run_op("", "stablehlo.constant dense<2.5> : tensor<2x2xf32>",
                             "tensor<2x2xf32>", {})[0]),
            V({2.5, 2.5, 2.5, 2.5}));
  EXPECT_EQ(values_of(run_op("", "stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>",
                             "tensor<2x2xi32>", {})[0]),
            V({1, 2, 3, 4}));
  EXPECT_TRUE(
      values_of(run_op("", "stablehlo.constant dense<> : tensor<0xf32>", "tensor<0xf32>", {})[0])
          .empty());
}

TEST(Iota, CountsAlongItsDimension) {
  EXPECT_EQ(
      values_of(run_op("", "stablehlo.iota dim = 1 : tensor<2x3xi32>", "tensor<2x3xi32>", {})[0]),
      V({0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(
      values_of(run_op("", "stablehlo.iota dim = 0 : tensor<2x3xf32>", "tensor<2x3xf32>", {})[0]),
      V({0, 0, 0, 1, 1, 1}));
  // Wraps like any integer conversion.
  EXPECT_EQ(
      values_of(run_op("", "stablehlo.iota dim = 0 : tensor<258xui8>", "tensor<258xui8>", {})[0])
          .back(),
      1);
}

TEST(BroadcastInDim, RepeatsNewAndUnitDimensions) {
  const auto r = run_op(
      "%a: tensor<1x3xi32>",
      "stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<1x3xi32>) -> tensor<2x3x2xi32>",
      "tensor<2x3x2xi32>", {i32({1, 3}, {1, 2, 3})});
  EXPECT_EQ(values_of(r[0]), V({1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
}

TEST(Reshape, KeepsRowMajorOrder) {
  const auto r =
      run_op("%a: tensor<2x3xi32>", "stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<3x2xi32>",
             "tensor<3x2xi32>", {i32({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(values_of(r[0]), V({1, 2, 3, 4, 5, 6}));
}

TEST(Transpose, PermutesDimensions) {
  const auto r =
      run_op("%a: tensor<2x3x2xi32>",
             "stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<2x3x2xi32>) -> tensor<2x3x2xi32>",
             "tensor<2x3x2xi32>", {i32({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})});
  EXPECT_EQ(values_of(r[0]), V({1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12}));
}

TEST(Slice, TakesEveryStrideThElement) {
  const auto r = run_op("%a: tensor<3x4xi32>",
                        "stablehlo.slice %a [1:3, 0:4:3] : (tensor<3x4xi32>) -> tensor<2x2xi32>",
                        "tensor<2x2xi32>", {i32({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
  EXPECT_EQ(values_of(r[0]), V({4, 7, 8, 11}));
}

constexpr const char* slice_2x2 =
    "stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 2] : (tensor<4x4xi32>, tensor<i32>, "
    "tensor<i32>) -> tensor<2x2xi32>";
constexpr const char* slice_arguments = "%a: tensor<4x4xi32>, %i: tensor<i32>, %j: tensor<i32>";
const V counted{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

TEST(DynamicSlice, StartsAreMovedInside) {
  const auto at = [&](double i, double j) {
    return values_of(run_op(slice_arguments, slice_2x2, "tensor<2x2xi32>",
                            {i32({4, 4}, counted), i32({}, {i}), i32({}, {j})})[0]);
  };
  EXPECT_EQ(at(1, 2), V({6, 7, 10, 11}));
  EXPECT_EQ(at(-1, 3), V({2, 3, 6, 7}));
  EXPECT_EQ(at(2147483647, -2147483648.0), V({8, 9, 12, 13}));
}

TEST(DynamicSlice, UnsignedStartsBeyondI64AreLarge) {
  const Tensor start = make_tensor(Type::scalar(DType::ui64), {18446744073709549568.0});
  const auto r = run_op("%a: tensor<4xi32>, %i: tensor<ui64>",
                        "stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, "
                        "tensor<ui64>) -> tensor<2xi32>",
                        "tensor<2xi32>", {i32({4}, {1, 2, 3, 4}), start});
  EXPECT_EQ(values_of(r[0]), V({3, 4}));
}

TEST(DynamicUpdateSlice, StartsAreMovedInside) {
  const auto at = [&](double i, double j) {
    return values_of(
        run_text("func.func @main(%a: tensor<3x3xi32>, %u: tensor<2x2xi32>, %i: tensor<i32>, %j: "
                 "tensor<i32>) -> tensor<3x3xi32> {\n"
                 "  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<3x3xi32>, "
                 "tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>\n"
                 "  return %0 : tensor<3x3xi32>\n}",
                 {i32({3, 3}, V(9, 0)), i32({2, 2}, {1, 2, 3, 4}), i32({}, {i}), i32({}, {j})})[0]);
  };
  EXPECT_EQ(at(0, 1), V({0, 1, 2, 0, 3, 4, 0, 0, 0}));
  EXPECT_EQ(at(7, -7), V({0, 0, 0, 1, 2, 0, 3, 4, 0}));
}

TEST(Concatenate, JoinsAlongADimension) {
  const auto r = run_op("%a: tensor<3x2xi32>, %b: tensor<1x2xi32>",
                        "stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x2xi32>, "
                        "tensor<1x2xi32>) -> tensor<4x2xi32>",
                        "tensor<4x2xi32>", {i32({3, 2}, {1, 2, 3, 4, 5, 6}), i32({1, 2}, {7, 8})});
  EXPECT_EQ(values_of(r[0]), V({1, 2, 3, 4, 5, 6, 7, 8}));
}

V pad(const std::string& numbers, const std::string& result, Dims dims, const V& values) {
  const std::string type = to_string(Type{.dtype = DType::i32, .dims = dims});
  return values_of(
      run_op(cat("%a: ", type, ", %v: tensor<i32>"),
             cat("stablehlo.pad %a, %v, ", numbers, " : (", type, ", tensor<i32>) -> ", result),
             result, {i32(dims, values), i32({}, {0})})[0]);
}

TEST(Pad, EdgesAndInterior) {
  EXPECT_EQ(pad("low = [0, 1], high = [2, 1], interior = [1, 2]", "tensor<5x9xi32>", {2, 3},
                {1, 2, 3, 4, 5, 6}),
            V({0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5,
               0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Pad, NegativeEdgesCutOff) {
  EXPECT_EQ(pad("low = [-1], high = [-2], interior = [0]", "tensor<2xi32>", {5}, {1, 2, 3, 4, 5}),
            V({2, 3}));
  // The interior padding counts: 1 _ 2 _ 3 without one on the left and two on the right.
  EXPECT_EQ(pad("low = [-1], high = [-2], interior = [1]", "tensor<2xi32>", {3}, {1, 2, 3}),
            V({0, 2}));
  EXPECT_EQ(pad("low = [-3], high = [3], interior = [0]", "tensor<2xi32>", {2}, {1, 2}), V({0, 0}));
  EXPECT_EQ(pad("low = [2], high = [0], interior = [5]", "tensor<2xi32>", {0}, {}), V({0, 0}));
}

TEST(Reverse, BackToFront) {
  const auto r = run_op("%a: tensor<3x2xi32>", "stablehlo.reverse %a, dims = [1] : tensor<3x2xi32>",
                        "tensor<3x2xi32>", {i32({3, 2}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(values_of(r[0]), V({2, 1, 4, 3, 6, 5}));
}

}  // namespace
}  // namespace partita::ir
