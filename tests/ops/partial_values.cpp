// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values that are sums over devices (unreduced axes): at edges of computations for devices, from one to the next, and as
// arguments and results of programs.
#include "partita/ir/partial_values.hpp"

#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

constexpr const char* mesh = "module {\n  sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n";

/// Pieces along x become the terms of a sum of two elements.
constexpr const char* to_terms = R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}], unreduced={"x"}>] manual_axes={"x", "y"} (%b: tensor<2xf32>) {
      %1 = stablehlo.add %b, %b : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<2xf32>
)";

/// Each device along x says the terms that it has.
constexpr const char* from_terms = R"(
    %2 = sdy.manual_computation(%0) in_shardings=[<@m, [{}], unreduced={"x"}>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x", "y"} (%b: tensor<2xf32>) {
      sdy.return %b : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<4xf32>
)";

TEST(PartialValues, are_their_sum_outside_of_computations_for_devices) {
  const std::string text =
      cat(mesh, "func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {", to_terms,
          "    %3 = sdy.sharding_constraint %0 <@m, [{}], unreduced={\"y\"}> : tensor<2xf32>\n",
          "    return %3 : tensor<2xf32>\n  }\n}\n");
  EXPECT_EQ(values_of(run_text(text, {f32({4}, {1, 2, 10, 20})})[0]), V({22, 44}));
}

TEST(PartialValues, stay_apart_from_one_computation_to_the_next) {
  const std::string text = cat(mesh, "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {",
                               to_terms, from_terms, "    return %2 : tensor<4xf32>\n  }\n}\n");
  EXPECT_EQ(values_of(run_text(text, {f32({4}, {1, 2, 10, 20})})[0]), V({2, 4, 20, 40}));
}

TEST(PartialValues, are_one_term_and_zeros_where_they_come_as_a_sum) {
  const std::string text = cat(mesh, "func.func @main(%0: tensor<2xf32>) -> tensor<4xf32> {",
                               from_terms, "    return %2 : tensor<4xf32>\n  }\n}\n");
  EXPECT_EQ(values_of(run_text(text, {f32({2}, {5, 6})})[0]), V({5, 6, 0, 0}));
}

TEST(PartialValues, inner_computations_too) {
  const std::string text = cat(mesh, R"(
  func.func @main(%a: tensor<4xf32>) -> tensor<1xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x", ?}]>] out_shardings=[<@m, [{}], unreduced={"x"}>] manual_axes={"x"} (%b: tensor<2xf32>) {
      %1 = sdy.manual_computation(%b) in_shardings=[<@m, [{"y"}]>] out_shardings=[<@m, [{}], unreduced={"y"}>] manual_axes={"y"} (%c: tensor<1xf32>) {
        sdy.return %c : tensor<1xf32>
      } : (tensor<2xf32>) -> tensor<1xf32>
      sdy.return %1 : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}
)");
  EXPECT_EQ(values_of(run_text(text, {f32({4}, {1, 2, 10, 20})})[0]), V({33}));
}

TEST(PartialValues, of_arguments_and_results_are_arrays_of_terms) {
  const std::string text = cat(mesh,
                               "func.func @main(%0: tensor<2xf32> {sdy.sharding = "
                               "#sdy.sharding<@m, [{}], unreduced={\"x\"}>}, %c: tensor<f32>) -> ",
                               "(tensor<4xf32>, tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, "
                               "[{\"y\"}], unreduced={\"x\"}>}) {",
                               from_terms, "    %3 = stablehlo.negate %0 : tensor<2xf32>\n",
                               "    return %2, %3 : tensor<4xf32>, tensor<2xf32>\n  }\n}\n");
  const auto module = parse_module(text);
  Function& f = module->entry("main");
  EXPECT_TRUE(is_partial_port(*module, f.arg_attrs[0]));
  EXPECT_FALSE(is_partial_port(*module, f.arg_attrs[1]));
  split_partial_ports(*module, f);
  verify(*module);
  ASSERT_EQ(f.result_types[1], Type({.dtype = DType::f32, .dims = {2, 2}}));
  EXPECT_NE(print_module(*module).find(R"([{"x"}, {"y"}])"), std::string::npos);
  const std::vector<Tensor> arguments{f32({2, 2}, {1, 2, 10, 20}), f32({}, {0})};
  const std::vector<Tensor> results = Interpreter(*module).run(f, arguments);
  EXPECT_EQ(values_of(results[0]), V({1, 2, 10, 20}));
  EXPECT_EQ(values_of(results[1]), V({-11, -22, 0, 0}));
}

TEST(PartialValues, of_results_are_what_devices_compute_of_their_pieces) {
  const std::string text = cat(mesh, R"(
  func.func @main(%a: tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<4x1xf32>, %c: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
      -> (tensor<1x1xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>},
          tensor<f32> {sdy.sharding = #sdy.sharding<@m, [], unreduced={"x"}>},
          tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{}, {}], unreduced={"x"}> : tensor<1x1xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2, %c : tensor<1x1xf32>, tensor<f32>, tensor<4xf32>
  }
}
)");
  const auto module = parse_module(text);
  Function& f = module->entry("main");
  split_partial_ports(*module, f);
  verify(*module);
  const std::vector<Tensor> arguments{f32({1, 4}, {1, 2, 3, 4}), f32({4, 1}, {1, 10, 100, 1000}),
                                      f32({4}, {5, 6, 7, 8})};
  const std::vector<Tensor> results = Interpreter(*module).run(f, arguments);
  EXPECT_EQ(values_of(results[0]), V({21, 4300}));
  EXPECT_EQ(values_of(results[1]), V({11, 15}));
  EXPECT_EQ(values_of(results[2]), V({5, 6, 0, 0, 0, 0, 7, 8}));
}

TEST(PartialValues, of_results_that_functions_compute) {
  const std::string text = cat(mesh, R"(
  func.func @main(%a: tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<4x1xf32>)
      -> (tensor<1x1xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}, tensor<1x4xf32>) {
    %0:2 = call @outer(%a, %b) : (tensor<1x4xf32>, tensor<4x1xf32>) -> (tensor<1x4xf32>, tensor<1x1xf32>)
    return %0#1, %0#0 : tensor<1x1xf32>, tensor<1x4xf32>
  }
  func.func private @outer(%a: tensor<1x4xf32>, %b: tensor<4x1xf32>) -> (tensor<1x4xf32>, tensor<1x1xf32>) {
    %0 = call @product(%a, %b) : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    %1 = stablehlo.negate %a : tensor<1x4xf32>
    return %1, %0 : tensor<1x4xf32>, tensor<1x1xf32>
  }
  func.func private @product(%a: tensor<1x4xf32>, %b: tensor<4x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  }
}
)");
  const auto module = parse_module(text);
  Function& f = module->entry("main");
  split_partial_ports(*module, f);
  verify(*module);
  const std::vector<Tensor> arguments{f32({1, 4}, {1, 2, 3, 4}), f32({4, 1}, {1, 10, 100, 1000})};
  const std::vector<Tensor> results = Interpreter(*module).run(f, arguments);
  EXPECT_EQ(values_of(results[0]), V({21, 4300}));
  EXPECT_EQ(values_of(results[1]), V({-1, -2, -3, -4}));
}

}  // namespace
}  // namespace partita::ir
