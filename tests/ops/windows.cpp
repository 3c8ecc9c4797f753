// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Convolutions, windows and normalisations: values by hand, text, and what is refused.
#include <limits>

#include "partita/ir/window.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

// --- Windows ------------------------------------------------------------------------------------

std::string window_text(const std::string& in, const std::string& out, const std::string& attrs,
                        const std::string& op) {
  const std::string element = "tensor<" + in.substr(in.rfind('x') + 1);
  return cat("func.func @main(%a: ", in, ", %i: ", element, ") -> ", out,
             " {\n  %0 = \"stablehlo.reduce_window\"(%a, %i) <{", attrs,
             "}> ({\n  ^bb0(%x: ", element, ", %y: ", element, "):\n    %z = stablehlo.", op,
             " %x, %y : ", element, "\n    stablehlo.return %z : ", element, "\n  }) : (", in, ", ",
             element, ") -> ", out, "\n  return %0 : ", out, "\n}");
}

V window_values(const std::string& in, const std::string& out, const std::string& attrs,
                const std::string& op, const Tensor& a, double init) {
  return values_of(run_text(window_text(in, out, attrs, op),
                            {a, make_tensor(Type::scalar(a->type.dtype), {init})})[0]);
}

TEST(ReduceWindow, StridesAndPaddingAndDilations) {
  const Tensor a = i32({6}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(window_values("tensor<6xi32>", "tensor<2xi32>",
                          "window_dimensions = array<i64: 3>, window_strides = array<i64: 3>",
                          "add", a, 0),
            V({6, 15}));
  // Padding is the initial value, which is combined once more by itself.
  EXPECT_EQ(window_values("tensor<6xi32>", "tensor<7xi32>",
                          "window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>",
                          "add", a, 100),
            V({201, 103, 105, 107, 109, 111, 206}));
  EXPECT_EQ(window_values("tensor<6xi32>", "tensor<4xi32>",
                          "window_dimensions = array<i64: 2>, window_dilations = array<i64: 2>",
                          "maximum", a, -9),
            V({3, 4, 5, 6}));
  EXPECT_EQ(window_values("tensor<3xi32>", "tensor<4xi32>",
                          "window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>",
                          "add", i32({3}, {1, 2, 3}), 0),
            V({1, 2, 2, 3}));
  EXPECT_EQ(window_values("tensor<6xi32>", "tensor<3xi32>",
                          "window_dimensions = array<i64: 2>, padding = dense<[[-1, -1]]> : "
                          "tensor<1x2xi64>",
                          "add", a, 0),
            V({5, 7, 9}));
}

TEST(ReduceWindow, WindowsThatGrowAreScans) {
  const std::string forward =
      "window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>";
  const std::string reverse =
      "window_dimensions = array<i64: 4>, padding = dense<[[0, 3]]> : tensor<1x2xi64>";
  const Tensor a = i32({4}, {1, 2, 3, 4});
  const auto values = [&](const std::string& attrs, const std::string& op, double init) {
    return window_values("tensor<4xi32>", "tensor<4xi32>", attrs, op, a, init);
  };
  EXPECT_EQ(values(forward, "add", 0), V({1, 3, 6, 10}));
  EXPECT_EQ(values(reverse, "add", 0), V({10, 9, 7, 4}));
  EXPECT_EQ(values(forward, "multiply", 1), V({1, 2, 6, 24}));
  EXPECT_EQ(values(forward, "maximum", 3), V({3, 3, 3, 4}));
  // No scan: each element of padding counts.
  EXPECT_EQ(values(forward, "add", 1), V({5, 6, 8, 11}));
  const std::vector<WindowDim> window{{.extent = 4, .size = 4, .low = 0, .high = 3}};
  const auto shape = scan_shape(window);
  ASSERT_TRUE(shape.has_value());
  EXPECT_TRUE(shape->is_reverse);
  EXPECT_FALSE(scan_shape({{.extent = 4, .size = 4, .low = 1, .high = 2}}).has_value());
  EXPECT_FALSE(scan_shape({{.extent = 4, .size = 3, .low = 2, .high = 0}}).has_value());
}

TEST(ReduceWindow, LongScansOfFloatsDoNotLoseSmallTerms) {
  V values(5000, 1e-4);
  values[0] = 4096;
  const V sums = window_values(
      "tensor<5000xf32>", "tensor<5000xf32>",
      "window_dimensions = array<i64: 5000>, padding = dense<[[4999, 0]]> : tensor<1x2xi64>", "add",
      f32({5000}, values), 0);
  EXPECT_FLOAT_EQ(float(sums[4999]), float(4096 + 4999e-4));
}

TEST(ReduceWindow, NaNWinsMaximum) {
  const double nan = std::nan(""), low = -std::numeric_limits<double>::infinity();
  const V r = window_values("tensor<4xf32>", "tensor<3xf32>", "window_dimensions = array<i64: 2>",
                            "maximum", f32({4}, {1, 2, nan, 0}), low);
  EXPECT_EQ(r[0], 2);
  EXPECT_TRUE(std::isnan(r[1]) && std::isnan(r[2]));
}

TEST(SelectAndScatter, TiesAndOverlapsAndEmptyWindows) {
  const auto run = [](const std::string& direction, const std::string& attrs, std::int64_t windows,
                      const Tensor& a, const V& source) {
    const std::string of = cat("tensor<", windows, "xf32>");
    return values_of(run_text(
        cat("func.func @main(%a: tensor<5xf32>, %s: ", of,
            ") -> tensor<5xf32> {\n  %i = stablehlo.constant dense<0.5> : tensor<f32>\n  %0 = "
            "\"stablehlo.select_and_scatter\"(%a, %s, %i) <{",
            attrs, "}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %z = stablehlo.compare ",
            direction,
            ", %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %z : "
            "tensor<i1>\n  }, {\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %z = stablehlo.add "
            "%x, %y : tensor<f32>\n    stablehlo.return %z : tensor<f32>\n  }) : (tensor<5xf32>, ",
            of, ", tensor<f32>) -> tensor<5xf32>\n  return %0 : tensor<5xf32>\n}"),
        {a, f32({windows}, source)})[0]);
  };
  const Tensor a = f32({5}, {1, 3, 3, 2, 3});
  EXPECT_EQ(run("GE", "window_dimensions = array<i64: 3>", 3, a, {10, 20, 30}),
            V({0.5, 30.5, 30.5, 0.5, 0.5}));
  EXPECT_EQ(run("GT", "window_dimensions = array<i64: 3>", 3, a, {10, 20, 30}),
            V({0.5, 0.5, 30.5, 0.5, 30.5}));
  // The first window holds padding only.
  EXPECT_EQ(run("GE",
                "window_dimensions = array<i64: 2>, window_strides = array<i64: 3>, padding = "
                "dense<[[3, 0]]> : tensor<1x2xi64>",
                3, a, {10, 20, 30}),
            V({0.5, 20.5, 0.5, 0.5, 30.5}));
}

// --- Convolution --------------------------------------------------------------------------------

std::string conv_text(const std::string& lhs, const std::string& rhs, const std::string& result,
                      const std::string& dims, const std::string& window,
                      std::int64_t feature_groups = 1, std::int64_t batch_groups = 1) {
  return cat("func.func @main(%a: ", lhs, ", %k: ", rhs, ") -> ", result,
             " {\n  %0 = stablehlo.convolution(%a, %k) dim_numbers = ", dims, ", window = {",
             window, "} {batch_group_count = ", batch_groups,
             " : i64, feature_group_count = ", feature_groups, " : i64} : (", lhs, ", ", rhs,
             ") -> ", result, "\n  return %0 : ", result, "\n}");
}

TEST(Convolution, ByHand) {
  const Tensor a = i32({1, 5, 1}, {1, 2, 3, 4, 5}), k = i32({3, 1, 1}, {1, 10, 100});
  const auto values = [&](const std::string& result, const std::string& window) {
    return values_of(run_text(conv_text("tensor<1x5x1xi32>", "tensor<3x1x1xi32>", result,
                                        "[b, 0, f]x[0, i, o]->[b, 0, f]", window),
                              {a, k})[0]);
  };
  EXPECT_EQ(values("tensor<1x3x1xi32>", ""), V({321, 432, 543}));
  EXPECT_EQ(values("tensor<1x3x1xi32>", "reverse = [true]"), V({123, 234, 345}));
  EXPECT_EQ(values("tensor<1x5x1xi32>", "pad = [[1, 1]]"), V({210, 321, 432, 543, 54}));
  EXPECT_EQ(values("tensor<1x2x1xi32>", "stride = [2]"), V({321, 543}));
  EXPECT_EQ(values("tensor<1x1x1xi32>", "rhs_dilate = [2]"), V({531}));
  EXPECT_EQ(values("tensor<1x7x1xi32>", "lhs_dilate = [2]"), V({201, 20, 302, 30, 403, 40, 504}));
  EXPECT_EQ(values("tensor<1x1x1xi32>", "pad = [[-1, -1]]"), V({432}));
}

TEST(Convolution, GroupsOfFeaturesAndOfBatches) {
  // Two groups: features 0 and 1 have kernels of their own.
  EXPECT_EQ(
      values_of(run_text(conv_text("tensor<1x3x2xi32>", "tensor<2x1x2xi32>", "tensor<1x2x2xi32>",
                                   "[b, 0, f]x[0, i, o]->[b, 0, f]", "", 2),
                         {i32({1, 3, 2}, {1, 10, 2, 20, 3, 30}), i32({2, 1, 2}, {1, 5, 2, 7})})[0]),
      V({5, 190, 8, 310}));
  // Two groups: batch 0 goes with output feature 0, batch 1 with 1.
  EXPECT_EQ(values_of(run_text(conv_text("tensor<2x2xi32>", "tensor<2x2xi32>", "tensor<1x2xi32>",
                                         "[b, f]x[i, o]->[b, f]", "", 1, 2),
                               {i32({2, 2}, {1, 2, 3, 4}), i32({2, 2}, {1, 10, 100, 1000})})[0]),
            V({201, 4030}));
}

TEST(Convolution, TextComesBack) {
  const std::string text =
      conv_text("tensor<4x7x5xf32>", "tensor<6x5x3xf32>", "tensor<4x6x2xf32>",
                "[b, 0, f]x[o, i, 0]->[b, f, 0]",
                "stride = [2], pad = [[0, -1]], lhs_dilate = [1], rhs_dilate = [1], "
                "reverse = [true]");
  const auto module = parse_module(text);
  const std::string printed = print_module(*module);
  EXPECT_NE(printed.find("dim_numbers = [b, 0, f]x[o, i, 0]->[b, f, 0], window = {stride = [2], "
                         "pad = [[0, -1]], reverse = [true]} "
                         "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"),
            std::string::npos)
      << printed;
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
}

TEST(Convolution, DimensionNumbersByLetterAndByName) {
  const auto letters = parse_convolution_dims("[f, 0, b, 1]x[1, i, 0, o]->[0, 1, b, f]");
  ASSERT_TRUE(letters.has_value());
  EXPECT_EQ(letters->input_batch, 2);
  EXPECT_EQ(letters->kernel_spatial, I64s({2, 0}));
  EXPECT_EQ(to_text(*letters), "[f, 0, b, 1]x[1, i, 0, o]->[0, 1, b, f]");
  EXPECT_EQ(parse_convolution_dims(
                "raw input_batch_dimension = 2, input_feature_dimension = 0, "
                "input_spatial_dimensions = [1, 3], kernel_input_feature_dimension = 1, "
                "kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [2, 0], "
                "output_batch_dimension = 2, output_feature_dimension = 3, "
                "output_spatial_dimensions = [0, 1]"),
            letters);
  for (const char* wrong :
       {"[b, 0, f]x[0, i, o]", "[b, b, f]x[0, i, o]->[b, 0, f]", "[b, 1, f]x[0, i, o]->[b, 0, f]",
        "[b, 0]x[i, o]->[b, f]", "", "[b, ?, f]x[0, i, o]->[b, 0, f]", "raw input = 3"})
    EXPECT_FALSE(parse_convolution_dims(wrong).has_value()) << wrong;
}

// --- Normalisation ------------------------------------------------------------------------------

TEST(BatchNorm, TrainingAndItsGradient) {
  const auto r = run_text(
      R"(func.func @main(%x: tensor<4x1xf32>, %s: tensor<1xf32>, %o: tensor<1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>
})",
      {f32({4, 1}, {1, 1, 5, 5}), f32({1}, {10}), f32({1}, {1})});
  EXPECT_EQ(values_of(r[0]), V({-9, -9, 11, 11}));
  EXPECT_EQ(values_of(r[1]), V({3}));
  EXPECT_EQ(values_of(r[2]), V({4}));
  const auto g = run_text(
      R"(func.func @main(%x: tensor<4x1xf32>, %s: tensor<1xf32>, %m: tensor<1xf32>, %v: tensor<1xf32>, %g: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>
})",
      {f32({4, 1}, {1, 1, 5, 5}), f32({1}, {8}), f32({1}, {3}), f32({1}, {4}),
       f32({4, 1}, {1, 0, 0, 0})});
  EXPECT_EQ(values_of(g[0]), V({2, -2, 0, 0}));
  EXPECT_EQ(values_of(g[1]), V({-1}));
  EXPECT_EQ(values_of(g[2]), V({1}));
}

// --- Refusals -----------------------------------------------------------------------------------

void expect_refused(const std::string& text, const std::string& message) {
  try {
    (void)parse_module(text, "case.mlir");
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(int(e.kind()), int(ErrorKind::user)) << text;
    EXPECT_NE(e.located_message().find(message), std::string::npos) << e.located_message();
  }
}

TEST(Windows, WhatIsRefused) {
  const auto window = [](const std::string& attrs) {
    return window_text("tensor<6xi32>", "tensor<6xi32>", attrs, "add");
  };
  expect_refused(window("window_dimensions = array<i64: 1, 1>"), "1 entries in window_dimensions");
  expect_refused(window("window_dimensions = array<i64: 0>"), "entries of 1 or more");
  expect_refused(window("window_dimensions = array<i64: 1>, window_strides = array<i64: -1>"),
                 "entries of 1 or more in window_strides");
  expect_refused(window("window_dimensions = array<i64: 1>, padding = dense<1> : tensor<2x2xi64>"),
                 "padding of shape [1, 2]");
  expect_refused(
      window("window_dimensions = array<i64: 9>, window_dilations = array<i64: 1000000000000>"),
      "a window of a representable extent");
  expect_refused(window("window_dimensions = array<i64: 2>"), "tensor<5xi32>");
  const auto conv = [](const std::string& dims, const std::string& attrs, std::int64_t features = 1,
                       std::int64_t batches = 1) {
    return conv_text("tensor<2x6x4xf32>", "tensor<3x4x6xf32>", "tensor<2x4x6xf32>", dims, attrs,
                     features, batches);
  };
  const std::string dims = "[b, 0, f]x[0, i, o]->[b, 0, f]";
  expect_refused(conv("[b, 0, f]x[0, i, o]->[b, f]", ""), "output dimensions");
  expect_refused(conv("[b, 0, 1]x[0, i, o]->[b, 0, f]", ""), "dimension_numbers");
  expect_refused(conv(dims, "stride = [0]"), "entries of 1 or more in window_strides");
  expect_refused(conv(dims, "stride = [2, 2]"), "1 entries in window_strides");
  // Lists of what holds without them too.
  expect_refused(conv(dims, "stride = [1, 1]"), "1 entries in window_strides");
  expect_refused(conv(dims, "pad = [[0, 0], [0, 0]]"), "padding of shape [1, 2]");
  expect_refused(conv(dims, "rhs_dilate = [1, 1]"), "1 entries in rhs_dilation");
  expect_refused(conv(dims, "reverse = [false, false]"), "1 entries in window_reversal");
  expect_refused(conv(dims, "", 2), "2 input features of the kernel");
  expect_refused(conv(dims, "", 3), "a feature dimension that is a multiple of 3");
  expect_refused(conv(dims, "", 1, 4), "a batch dimension that is a multiple of 4");
  expect_refused(conv(dims, "", 2, 2), "groups of features or of batches");
  expect_refused(conv(dims, "", 0), "group counts of 1 or more");
  expect_refused(conv(dims, "pad = [[1, 1]]"), "tensor<2x6x6xf32>");
}

}  // namespace
}  // namespace partita::ir
