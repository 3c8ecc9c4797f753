// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The mr ops: values by hand, among them the oracles of DrJAX's tutorials and papers, and the errors
// that wrong placements give.
#include <algorithm>

#include "partita/base/error.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string module_text(const std::string& placements, const std::string& functions) {
  return cat("module attributes {mr.placements = {", placements, "}} {\n", functions, "\n}");
}

std::string error_of(const std::string& text, const std::vector<Tensor>& inputs = {}) {
  try {
    static_cast<void>(run_text(text, inputs));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user) << e.what();
    return e.what();
  }
  return "no error";
}

void expect_near(const Tensor& actual, const V& expected, double relative = 1e-6) {
  const V values = values_of(actual);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(expected[k]))
      EXPECT_TRUE(std::isnan(values[k])) << k << ": " << values[k];
    else if (std::isinf(expected[k]))
      EXPECT_EQ(values[k], expected[k]) << k;
    else
      EXPECT_NEAR(values[k], expected[k], relative * std::max(1.0, std::fabs(expected[k]))) << k;
  }
}

/// A reduction of x (n = 3), with further operands and attributes.
std::string reduction(const std::string& op, const std::string& type, const std::string& result,
                      const std::string& operands = "", const std::string& parameters = "",
                      const std::string& types = "", const std::string& attributes = "") {
  return module_text("clients = 3", cat("func.func @main(%x: ", type, parameters, ") -> ", result,
                                        " {\n  %0 = \"mr.", op, "\"(%x", operands,
                                        ") {placement = \"clients\"", attributes, "} : (", type,
                                        types, ") -> ", result, "\n  return %0 : ", result, "\n}"));
}

// --- broadcast and map -----------------------------------------------------------------------------

TEST(MrBroadcast, repeats_for_each_partition) {
  const auto r =
      run_text(module_text("clients = 3", R"(func.func @main(%x: tensor<2xf32>) -> tensor<3x2xf32> {
  %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
})"),
               {f32({2}, {1, 2})});
  EXPECT_EQ(values_of(r[0]), V({1, 2, 1, 2, 1, 2}));
}

TEST(MrBroadcast, size_and_name_of_the_placement_are_checked) {
  const auto text = [](const std::string& placements, const std::string& name) {
    return module_text(
        placements,
        cat("func.func @main(%x: tensor<2xf32>) -> tensor<3x2xf32> {\n  %0 = \"mr.broadcast\"(%x) "
            "{placement = \"",
            name, "\"} : (tensor<2xf32>) -> tensor<3x2xf32>\n  return %0 : tensor<3x2xf32>\n}"));
  };
  EXPECT_EQ(error_of(text("clients = 4", "clients")),
            "mr.broadcast: expected result 0 of type tensor<4x2xf32>, found tensor<3x2xf32>");
  EXPECT_EQ(error_of(text("clients = 3", "hosts")),
            "mr.broadcast: expected a placement of mr.placements (clients), found \"hosts\"");
  EXPECT_NE(error_of(text("clients = 0", "clients")), "no error");
}

std::string map_text(const std::string& in, const std::string& region_in, const std::string& body,
                     const std::string& region_out, const std::string& out,
                     const std::string& attributes = "") {
  return module_text("clients = 3", cat("func.func @main(%x: ", in, ") -> ", out,
                                        " {\n  %0 = \"mr.map\"(%x) ({\n  ^bb0(%a: ", region_in,
                                        "):\n", body, "\n    \"mr.return\"(%r) : (", region_out,
                                        ") -> ()\n  }) {placement = \"clients\"", attributes,
                                        "} : (", in, ") -> ", out, "\n  return %0 : ", out, "\n}"));
}

TEST(MrMap, adds_to_each_partition) {
  // The tutorial's map(+[1, 2]).
  const auto r = run_text(map_text("tensor<3x2xf32>", "tensor<2xf32>",
                                   "    %c = stablehlo.constant dense<[1.0, 2.0]> : "
                                   "tensor<2xf32>\n    %r = stablehlo.add %a, %c : tensor<2xf32>",
                                   "tensor<2xf32>", "tensor<3x2xf32>"),
                          {f32({3, 2}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(values_of(r[0]), V({2, 4, 4, 6, 6, 8}));
}

TEST(MrMap, axes_may_be_any_dimension_or_none) {
  const auto r =
      run_text(map_text("tensor<2x3xf32>", "tensor<2xf32>",
                        "    %r = stablehlo.negate %a : tensor<2xf32>", "tensor<2xf32>",
                        "tensor<2x3xf32>", ", in_axes = array<i64: 1>, out_axes = array<i64: 1>"),
               {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(values_of(r[0]), V({-1, -2, -3, -4, -5, -6}));
  const auto s =
      run_text(map_text("tensor<2xf32>", "tensor<2xf32>",
                        "    %r = stablehlo.negate %a : tensor<2xf32>", "tensor<2xf32>",
                        "tensor<2xf32>", ", in_axes = array<i64: -1>, out_axes = array<i64: -1>"),
               {f32({2}, {1, 2})});
  EXPECT_EQ(values_of(s[0]), V({-1, -2}));
}

TEST(MrMap, a_result_without_axis_must_not_depend_on_the_partition) {
  const std::string text =
      map_text("tensor<3xf32>", "tensor<f32>", "    %r = stablehlo.negate %a : tensor<f32>",
               "tensor<f32>", "tensor<f32>", ", out_axes = array<i64: -1>");
  EXPECT_EQ(values_of(run_text(text, {f32({3}, {2, 2, 2})})[0]), V({-2}));
  EXPECT_EQ(error_of(text, {f32({3}, {2, 2, 1})}),
            "mr.map: expected result 0, whose axis is -1, to be the same in all partitions, found "
            "partition 2 to differ from partition 0");
}

TEST(MrMap, shapes_are_checked) {
  EXPECT_EQ(error_of(map_text("tensor<4x2xf32>", "tensor<2xf32>",
                              "    %r = stablehlo.negate %a : tensor<2xf32>", "tensor<2xf32>",
                              "tensor<4x2xf32>")),
            "mr.map: expected operand 0 of type tensor<3x2xf32> (\"clients\" has 3 partitions), "
            "found tensor<4x2xf32>");
  EXPECT_EQ(
      error_of(map_text("tensor<f32>", "tensor<f32>", "    %r = stablehlo.negate %a : tensor<f32>",
                        "tensor<f32>", "tensor<3xf32>")),
      "mr.map: expected operand 0 with a dimension 0 for the partitions of \"clients\", found "
      "tensor<f32>");
  EXPECT_EQ(error_of(module_text("clients = 3", R"(func.func @main(%x: tensor<3xf32>) {
  "mr.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    "mr.return"() : () -> ()
  }) {placement = "clients"} : (tensor<3xf32>) -> ()
  return
})")),
            "mr.map: expected a region that returns at least 1 value, found none");
  EXPECT_NE(error_of(map_text("tensor<3xf32>", "tensor<f32>",
                              "    %r = stablehlo.negate %x : tensor<3xf32>", "tensor<3xf32>",
                              "tensor<3x3xf32>"))
                .find("isolated"),
            std::string::npos);
}

TEST(MrPartitionIndex, counts_within_the_innermost_or_the_named_map) {
  const auto r = run_text(module_text("hosts = 2, clients = 3",
                                      R"(func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %0:2 = "mr.map"() ({
    %1:2 = "mr.map"() ({
      %i = "mr.partition_index"() : () -> tensor<i32>
      %h = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
      "mr.return"(%i, %h) : (tensor<i32>, tensor<i32>) -> ()
    }) {placement = "clients"} : () -> (tensor<3xi32>, tensor<3xi32>)
    "mr.return"(%1#0, %1#1) : (tensor<3xi32>, tensor<3xi32>) -> ()
  }) {placement = "hosts"} : () -> (tensor<2x3xi32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xi32>, tensor<2x3xi32>
})"),
                          {});
  EXPECT_EQ(values_of(r[0]), V({0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(values_of(r[1]), V({0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(error_of("func.func @main() -> tensor<i32> {\n  %0 = \"mr.partition_index\"() : () -> "
                     "tensor<i32>\n  return %0 : tensor<i32>\n}"),
            "mr.partition_index: expected to be inside of a map, found none around it");
}

// --- Reductions ------------------------------------------------------------------------------------

TEST(MrReduce, sum_mean_max_min) {
  const Tensor x = f32({3, 2}, {1, 10, 2, -20, 6, 40});
  const auto value = [&](const std::string& op) {
    return values_of(run_text(reduction(op, "tensor<3x2xf32>", "tensor<2xf32>"), {x})[0]);
  };
  EXPECT_EQ(value("reduce_sum"), V({9, 30}));
  EXPECT_EQ(value("reduce_mean"), V({3, 10}));
  EXPECT_EQ(value("reduce_max"), V({6, 40}));
  EXPECT_EQ(value("reduce_min"), V({1, -20}));
}

TEST(MrReduce, f16_and_bf16_are_rounded_once) {
  // In f16 2048 + 1 stays 2048.
  EXPECT_EQ(values_of(run_text(reduction("reduce_sum", "tensor<3xf16>", "tensor<f16>"),
                               {make_tensor({.dtype = DType::f16, .dims = {3}}, {2048, 1, 1})})[0]),
            V({2050}));
  EXPECT_EQ(values_of(run_text(reduction("reduce_mean", "tensor<3xbf16>", "tensor<bf16>"),
                               {make_tensor({.dtype = DType::bf16, .dims = {3}}, {256, 1, 1})})[0]),
            V({86}));
}

TEST(MrReduce, integers_wrap_and_have_no_mean) {
  EXPECT_EQ(values_of(run_text(reduction("reduce_sum", "tensor<3xi8>", "tensor<i8>"),
                               {make_tensor({.dtype = DType::i8, .dims = {3}}, {100, 100, 1})})[0]),
            V({-55}));
  EXPECT_EQ(values_of(run_text(reduction("reduce_max", "tensor<3xi32>", "tensor<i32>"),
                               {i32({3}, {-5, -7, -6})})[0]),
            V({-5}));
  EXPECT_EQ(error_of(reduction("reduce_mean", "tensor<3xi32>", "tensor<i32>")),
            "mr.reduce_mean: expected operand 0 of floats (convert integers with stablehlo.convert "
            "first), found tensor<3xi32>");
  EXPECT_EQ(
      error_of(reduction("reduce_max", "tensor<3xi32>", "tensor<i32>", "", "", "",
                         ", on_zero_weight = \"nan\"")),
      "mr.reduce_max: expected on_zero_weight to be error or keep for tensor<3xi32>, found nan");
  EXPECT_EQ(error_of(reduction("reduce_sum", "tensor<3xi1>", "tensor<i1>")),
            "mr.reduce_sum: expected operand 0 of numbers (convert booleans with stablehlo.convert "
            "first), found tensor<3xi1>");
}

Tensor mask(const V& values) {
  return make_tensor({.dtype = DType::i1, .dims = {std::int64_t(values.size())}}, values);
}

std::string masked(const std::string& op, const std::string& attributes = "") {
  return reduction(op, "tensor<3x2xf32>", "tensor<2xf32>", ", %m", ", %m: tensor<3xi1>",
                   ", tensor<3xi1>", ", operand_segments = array<i64: 1, 0, 1, 0>" + attributes);
}

TEST(MrReduce, masks_exclude_by_selection) {
  const Tensor x = f32({3, 2}, {1, 2, nan, INFINITY, 5, 7});
  EXPECT_EQ(values_of(run_text(masked("reduce_sum"), {x, mask({1, 0, 1})})[0]), V({6, 9}));
  EXPECT_EQ(values_of(run_text(masked("reduce_mean"), {x, mask({1, 0, 1})})[0]), V({3, 4.5}));
  EXPECT_EQ(values_of(run_text(masked("reduce_max"), {x, mask({1, 0, 1})})[0]), V({5, 7}));
  EXPECT_EQ(values_of(run_text(masked("reduce_min"), {x, mask({1, 0, 0})})[0]), V({1, 2}));
  expect_near(run_text(masked("reduce_max"), {x, mask({1, 1, 1})})[0], {nan, INFINITY});
}

TEST(MrReduce, of_none_is_zero_or_what_on_zero_weight_says) {
  const Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 7});
  EXPECT_EQ(values_of(run_text(masked("reduce_sum"), {x, mask({0, 0, 0})})[0]), V({0, 0}));
  for (const char* op : {"reduce_mean", "reduce_max", "reduce_min"}) {
    expect_near(run_text(masked(op), {x, mask({0, 0, 0})})[0], {nan, nan});
    EXPECT_NE(error_of(masked(op, ", on_zero_weight = \"error\""), {x, mask({0, 0, 0})})
                  .find("all partitions masked out"),
              std::string::npos)
        << op;
    EXPECT_EQ(error_of(masked(op, ", on_zero_weight = \"error\""), {x, mask({0, 1, 0})}),
              "no error")
        << op;
    const std::string keep =
        reduction(op, "tensor<3x2xf32>", "tensor<2xf32>", ", %m, %k",
                  ", %m: tensor<3xi1>, %k: tensor<2xf32>", ", tensor<3xi1>, tensor<2xf32>",
                  ", operand_segments = array<i64: 1, 0, 1, 1>, on_zero_weight = \"keep\"");
    EXPECT_EQ(values_of(run_text(keep, {x, mask({0, 0, 0}), f32({2}, {8, 9})})[0]), V({8, 9}))
        << op;
    EXPECT_EQ(values_of(run_text(keep, {x, mask({0, 1, 0}), f32({2}, {8, 9})})[0]), V({3, 4}))
        << op;
  }
  EXPECT_EQ(error_of(masked("reduce_sum", ", on_zero_weight = \"nan\"")),
            "mr.reduce_sum: expected no on_zero_weight (a sum of none is 0), found nan");
}

std::string weighted(const std::string& weights, const std::string& attributes = "") {
  return reduction("reduce_weighted_mean", "tensor<3x2xf32>", "tensor<2xf32>", ", %w",
                   ", %w: " + weights, ", " + weights, attributes);
}

TEST(MrReduce, weighted_mean) {
  const Tensor x = f32({3, 2}, {1, 10, 2, 20, 4, 40});
  expect_near(run_text(weighted("tensor<3xf32>"), {x, f32({3}, {1, 2, 5})})[0], {3.125, 31.25});
  expect_near(run_text(weighted("tensor<3x2xf32>"), {x, f32({3, 2}, {1, 0, 2, 1, 5, 0})})[0],
              {3.125, 20});
  EXPECT_EQ(error_of(weighted("tensor<2xf32>")),
            "mr.reduce_weighted_mean: expected weights of type tensor<3xf32> or tensor<3x2xf32>, "
            "found tensor<2xf32>");
  EXPECT_EQ(error_of(weighted("tensor<3xi32>")),
            "mr.reduce_weighted_mean: expected weights of floats, found tensor<3xi32>");
}

TEST(MrReduce, a_weight_of_zero_hides_nan) {
  const Tensor x = f32({3, 2}, {1, 10, nan, INFINITY, 4, 40});
  expect_near(run_text(weighted("tensor<3xf32>"), {x, f32({3}, {1, 0, 1})})[0], {2.5, 25});
  expect_near(run_text(weighted("tensor<3xf32>"), {x, f32({3}, {0, 0, 0})})[0], {nan, nan});
  EXPECT_NE(
      error_of(weighted("tensor<3xf32>", ", on_zero_weight = \"error\""), {x, f32({3}, {0, 0, 0})})
          .find("found a sum of weights of 0"),
      std::string::npos);
}

TEST(MrReduce, several_values_share_weights_mask_and_keep) {
  const auto r = run_text(
      module_text(
          "clients = 3",
          R"(func.func @main(%x: tensor<3xf32>, %y: tensor<3x2xf32>, %w: tensor<3xf32>, %m: tensor<3xi1>, %k: tensor<f32>, %l: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %0:2 = "mr.reduce_weighted_mean"(%x, %y, %w, %m, %k, %l) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 2, 1, 1, 2>} : (tensor<3xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<3xi1>, tensor<f32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<2xf32>
})"),
      {f32({3}, {1, 2, 3}), f32({3, 2}, {1, 2, 3, 4, 5, 6}), f32({3}, {1, 3, 100}), mask({1, 1, 0}),
       f32({}, {7}), f32({2}, {8, 9})});
  expect_near(r[0], {1.75});
  expect_near(r[1], {2.5, 3.5});
}

TEST(MrReduce, shapes_are_checked) {
  EXPECT_EQ(
      error_of(reduction("reduce_sum", "tensor<f32>", "tensor<f32>")),
      "mr.reduce_sum: expected operand 0 with a dimension for the partitions, found tensor<f32>");
  EXPECT_EQ(error_of(reduction("reduce_sum", "tensor<5xf32>", "tensor<f32>")),
            "mr.reduce_sum: expected operand 0 of type tensor<3xf32> (\"clients\" has 3 "
            "partitions), found tensor<5xf32>");
  EXPECT_EQ(
      error_of(reduction("reduce_sum", "tensor<3xf32>", "tensor<f32>", ", %m", ", %m: tensor<3xi1>",
                         ", tensor<3xi1>", ", operand_segments = array<i64: 1, 0, 0, 0>")),
      "mr.reduce_sum: expected operand_segments that add up to 2 operands, found [1, 0, 0, 0]");
  EXPECT_EQ(error_of(reduction("reduce_mean", "tensor<3xf32>", "tensor<f32>", ", %m",
                               ", %m: tensor<4xi1>", ", tensor<4xi1>",
                               ", operand_segments = array<i64: 1, 0, 1, 0>")),
            "mr.reduce_mean: expected a mask of type tensor<3xi1>, found tensor<4xi1>");
}

TEST(MrReduce, one_partition) {
  EXPECT_EQ(values_of(run_text(
                module_text("clients = 1", R"(func.func @main(%x: tensor<1xf32>) -> tensor<f32> {
  %0 = "mr.reduce_mean"(%x) {placement = "clients"} : (tensor<1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
})"),
                {f32({1}, {4})})[0]),
            V({4}));
}

// --- Oracles ---------------------------------------------------------------------------------------

/// Mean over n partitions of whether the partition's reading is above a threshold.
double share_above(int n, double threshold) {
  const std::string text = module_text(
      cat("sensors = ", n),
      cat("func.func @main(%x: tensor<", n,
          "xf32>, %t: tensor<f32>) -> tensor<f32> {\n  %b = \"mr.broadcast\"(%t) {placement = "
          "\"sensors\"} : (tensor<f32>) -> tensor<",
          n,
          "xf32>\n  %0 = \"mr.map\"(%x, %b) ({\n  ^bb0(%a: tensor<f32>, %c: tensor<f32>):\n    %p "
          "= stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    "
          "%f = stablehlo.convert %p : (tensor<i1>) -> tensor<f32>\n    \"mr.return\"(%f) : "
          "(tensor<f32>) -> ()\n  }) {placement = \"sensors\", in_axes = array<i64: 0, 0>, "
          "out_axes = array<i64: 0>} : (tensor<",
          n, "xf32>, tensor<", n, "xf32>) -> tensor<", n,
          "xf32>\n  %1 = \"mr.reduce_mean\"(%0) {placement = \"sensors\"} : (tensor<", n,
          "xf32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}"));
  V readings;
  for (int i = 0; i < n; ++i) readings.push_back(i);
  return values_of(run_text(text, {f32({n}, readings), f32({}, {threshold})})[0])[0];
}

TEST(MrOracles, temperature_sensors) {
  EXPECT_FLOAT_EQ(float(share_above(100, 24)), 0.75f);
  EXPECT_FLOAT_EQ(float(share_above(20, 3)), 0.8f);
  EXPECT_FLOAT_EQ(float(share_above(100, 49.5)), 0.5f);
}

/// A round of federated averaging: `steps` local steps of x <- x - 0.01 (x.y - 1) y, then the mean.
std::string fedavg_text(int steps) {
  return module_text(
      "clients = 3",
      cat(R"(func.func @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
  %m = "mr.map"(%b, %d) ({
  ^bb0(%w: tensor<2xf32>, %y: tensor<2xf32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%v = %w, %i = %zero) : tensor<2xf32>, tensor<i32>
    cond {
      %n = stablehlo.constant dense<)",
          steps, R"(> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %p = stablehlo.dot_general %v, %y, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %e = stablehlo.subtract %p, %c : tensor<f32>
      %rate = stablehlo.constant dense<0.01> : tensor<f32>
      %s = stablehlo.multiply %e, %rate : tensor<f32>
      %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %g = stablehlo.multiply %t, %y : tensor<2xf32>
      %u = stablehlo.subtract %v, %g : tensor<2xf32>
      stablehlo.return %u, %j : tensor<2xf32>, tensor<i32>
    }
    "mr.return"(%0#0) : (tensor<2xf32>) -> ()
  }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %a = "mr.reduce_mean"(%m) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
  %ba = "mr.broadcast"(%a) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
  %l = "mr.map"(%ba, %d) ({
  ^bb0(%w: tensor<2xf32>, %y: tensor<2xf32>):
    %p = stablehlo.dot_general %w, %y, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %e = stablehlo.subtract %p, %c : tensor<f32>
    %s = stablehlo.multiply %e, %e : tensor<f32>
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %q = stablehlo.multiply %s, %h : tensor<f32>
    "mr.return"(%q) : (tensor<f32>) -> ()
  }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  %f = "mr.reduce_mean"(%l) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
  return %a, %f : tensor<2xf32>, tensor<f32>
})"));
}

V losses_of_rounds(int steps, V& first_model) {
  const Tensor data = f32({3, 2}, {1, 2, 3, -4, -7, 6});
  Tensor x = f32({2}, {2, -1});
  V losses;
  for (int round = 0; round < 3; ++round) {
    const auto r = run_text(fedavg_text(steps), {x, data});
    x = r[0];
    if (round == 0) first_model = values_of(x);
    losses.push_back(values_of(r[1])[0]);
  }
  return losses;
}

TEST(MrOracles, fedsgd) {
  V model;
  const V losses = losses_of_rounds(1, model);
  expect_near(f32({2}, model), {1.42333333, -0.453333333});
  expect_near(f32({3}, losses), {35.55125, 14.7380596, 6.34246802});
}

TEST(MrOracles, fedavg) {
  V model;
  const V losses = losses_of_rounds(3, model);
  expect_near(f32({2}, model), {1.22685833, -0.211033333});
  expect_near(f32({3}, losses), {21.7125856, 6.18057722, 2.31732757});
}

TEST(MrOracles, nested_placements) {
  // Mean over hosts of the sum over clients of 10 host + client.
  const auto r = run_text(
      module_text("hosts = 2, clients = 3", R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<f32> {
  %0 = "mr.map"(%x) ({
  ^bb0(%h: tensor<3xf32>):
    %1 = "mr.map"(%h) ({
    ^bb1(%c: tensor<f32>):
      %2 = stablehlo.add %c, %c : tensor<f32>
      "mr.return"(%2) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
    %s = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    "mr.return"(%s) : (tensor<f32>) -> ()
  }) {placement = "hosts", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %m = "mr.reduce_mean"(%0) {placement = "hosts"} : (tensor<2xf32>) -> tensor<f32>
  return %m : tensor<f32>
})"),
      {f32({2, 3}, {0, 1, 2, 10, 11, 12})});
  EXPECT_EQ(values_of(r[0]), V({36}));
}

// --- foreach ---------------------------------------------------------------------------------------

/// x * w + partition index, of n partitions, in blocks; stacked, summed, largest; and whether any lane
/// is valid beyond what it should be.
std::string foreach_text(int n, int block) {
  const std::string lanes = block == 1 ? "" : cat(block, "x");
  const std::string index =
      block == 1 ? "    %f = stablehlo.convert %first : (tensor<i64>) -> tensor<f32>\n"
                 : cat("    %l = stablehlo.iota dim = 0 : tensor<", block,
                       "xi64>\n    %b = stablehlo.broadcast_in_dim %first, dims = [] : "
                       "(tensor<i64>) -> tensor<",
                       block, "xi64>\n    %p = stablehlo.add %l, %b : tensor<", block,
                       "xi64>\n    %f = stablehlo.convert %p : (tensor<", block,
                       "xi64>) -> tensor<", block, "xf32>\n");
  const std::string shared =
      block == 1
          ? "    %s = stablehlo.multiply %x, %w : tensor<f32>\n"
          : cat("    %v = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f32>) -> tensor<",
                block, "xf32>\n    %s = stablehlo.multiply %x, %v : tensor<", block, "xf32>\n");
  const std::string t = cat("tensor<", lanes, "f32>");
  return module_text(
      cat("clients = ", n),
      cat("func.func @main(%a: tensor<", n, "xf32>, %c: tensor<f32>) -> (tensor<", n,
          "xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {\n  %0:4 = \"mr.foreach\"(%a, %c) ({\n  "
          "^bb0(%first: tensor<i64>, %count: tensor<i32>, %x: ",
          t, ", %w: tensor<f32>):\n", index, shared, "    %r = stablehlo.add %s, %f : ", t,
          "\n    \"mr.return\"(%r, %r, %r, %r) : (", t, ", ", t, ", ", t, ", ", t,
          ") -> ()\n  }) {placement = \"clients\", block = ", block,
          " : i64, results = [\"stack\", \"sum\", \"max\", \"min\"], operand_segments = array<i64: "
          "1, 1>} : (tensor<",
          n, "xf32>, tensor<f32>) -> (tensor<", n,
          "xf32>, tensor<f32>, tensor<f32>, tensor<f32>)\n  return %0#0, %0#1, %0#2, %0#3 : "
          "tensor<",
          n, "xf32>, tensor<f32>, tensor<f32>, tensor<f32>\n}"));
}

TEST(MrForeach, stacks_and_combines_in_blocks_of_any_size) {
  for (const int n : {1, 2, 5, 7})
    for (const int block : {1, 2, 3, 8}) {
      V x, expected;
      for (int i = 0; i < n; ++i) {
        x.push_back(3 - i * i);
        expected.push_back(2 * x.back() + i);
      }
      double sum = 0;
      for (const double e : expected) sum += e;
      const auto r = run_text(foreach_text(n, block), {f32({n}, x), f32({}, {2})});
      EXPECT_EQ(values_of(r[0]), expected) << n << " by " << block;
      EXPECT_EQ(values_of(r[1]), V({sum})) << n << " by " << block;
      EXPECT_EQ(values_of(r[2]), V({*std::ranges::max_element(expected)})) << n << " by " << block;
      EXPECT_EQ(values_of(r[3]), V({*std::ranges::min_element(expected)})) << n << " by " << block;
    }
}

std::string foreach_of_counts(const std::string& results, const std::string& declared) {
  return module_text("clients = 5",
                     cat(R"(func.func @main(%a: tensor<5xi1>) -> )", declared, R"( {
  %0 = "mr.foreach"(%a) ({
  ^bb0(%first: tensor<i64>, %count: tensor<i32>, %x: tensor<2xi1>):
    "mr.return"(%x) : (tensor<2xi1>) -> ()
  }) {placement = "clients", block = 2 : i64, results = [)",
                         results, R"(], operand_segments = array<i64: 1, 0>} : (tensor<5xi1>) -> )",
                         declared, "\n  return %0 : ", declared, "\n}"));
}

TEST(MrForeach, combines_booleans) {
  EXPECT_EQ(
      values_of(run_text(foreach_of_counts("\"and\"", "tensor<i1>"), {mask({1, 1, 1, 1, 1})})[0]),
      V({1}));
  EXPECT_EQ(
      values_of(run_text(foreach_of_counts("\"and\"", "tensor<i1>"), {mask({1, 1, 1, 1, 0})})[0]),
      V({0}));
  EXPECT_EQ(
      values_of(run_text(foreach_of_counts("\"or\"", "tensor<i1>"), {mask({0, 0, 0, 0, 0})})[0]),
      V({0}));
  EXPECT_EQ(
      values_of(run_text(foreach_of_counts("\"or\"", "tensor<i1>"), {mask({0, 0, 0, 0, 1})})[0]),
      V({1}));
}

TEST(MrForeach, lanes_beyond_the_count_hold_the_last_partition) {
  // Each lane returns the sum of its block: the tail block of 1 sees the last partition twice.
  const auto r =
      run_text(module_text("clients = 3",
                           R"(func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0:2 = "mr.foreach"(%a) ({
  ^bb0(%first: tensor<i64>, %count: tensor<i32>, %x: tensor<2xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %n = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<i32>) -> tensor<2xi32>
    "mr.return"(%r, %n) : (tensor<2xf32>, tensor<2xi32>) -> ()
  }) {placement = "clients", block = 2 : i64, results = ["stack", "stack"], operand_segments = array<i64: 1, 0>} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
})"),
               {f32({3}, {1, 2, 4})});
  EXPECT_EQ(values_of(r[0]), V({3, 3, 8}));
  EXPECT_EQ(values_of(r[1]), V({2, 2, 1}));
}

TEST(MrForeach, attributes_are_checked) {
  EXPECT_EQ(error_of(foreach_of_counts("\"sum\"", "tensor<i1>")),
            "mr.foreach: expected value 0 of a type that sum combines, found tensor<i1>");
  EXPECT_EQ(error_of(foreach_of_counts("\"product\"", "tensor<i1>")),
            "mr.foreach: expected stack, sum, max, min, and or or in results, found \"product\"");
  EXPECT_EQ(error_of(foreach_of_counts("\"and\", \"or\"", "tensor<i1>")),
            "mr.foreach: expected 1 (at least 1) strings in results, found 2");
}

// --- Collectives -----------------------------------------------------------------------------------

TEST(MrCollectives, are_the_identity_with_one_shard) {
  const auto r = run_text(
      module_text(
          "clients = 3",
          R"(func.func @main(%a: tensor<3xf32>, %b: tensor<f32>) -> (tensor<3xf32>, tensor<f32>, tensor<3xf32>) {
  %t = "mr.all_reduce_start"(%a, %b) {placement = "clients", combiner = "sum"} : (tensor<3xf32>, tensor<f32>) -> !mr.token
  %g = "mr.all_gather_start"(%a) {placement = "clients"} : (tensor<3xf32>) -> !mr.token
  %0:2 = "mr.all_reduce_done"(%t) : (!mr.token) -> (tensor<3xf32>, tensor<f32>)
  %1 = "mr.all_gather_done"(%g) : (!mr.token) -> tensor<3xf32>
  return %0#0, %0#1, %1 : tensor<3xf32>, tensor<f32>, tensor<3xf32>
})"),
      {f32({3}, {1, 2, 3}), f32({}, {4})});
  EXPECT_EQ(values_of(r[0]), V({1, 2, 3}));
  EXPECT_EQ(values_of(r[1]), V({4}));
  EXPECT_EQ(values_of(r[2]), V({1, 2, 3}));
}

TEST(MrCollectives, combiners_are_checked) {
  EXPECT_EQ(error_of(module_text("clients = 3", R"(func.func @main(%a: tensor<3xf32>) {
  %t = "mr.all_reduce_start"(%a) {placement = "clients", combiner = "mean"} : (tensor<3xf32>) -> !mr.token
  return
})")),
            "mr.all_reduce_start: expected a combiner sum, max, min, and or or, found \"mean\"");
}

}  // namespace
}  // namespace partita::ir
