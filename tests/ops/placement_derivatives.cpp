// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of programs over placements, beyond the samples of their ops.
#include "tests/ops/derivative_test.hpp"

namespace partita::testing {
namespace {

void expect_derivatives_of(const std::string& text, const std::string& name) {
  SCOPED_TRACE(name);
  const auto module = ir::parse_module(text, name);
  Inputs inputs(5);
  expect_both_orders(*module, name,
                     [&](const Type& type, std::size_t) { return inputs.draw(type, 0.5, 2); });
}

std::string placed(const std::string& body) {
  return "module attributes {mr.placements = {clients = 3, hosts = 2}} {\n" + body + "\n}";
}

TEST(PlacementDerivatives, axes_of_maps) {
  expect_derivatives_of(placed(R"(
func.func @main(%a: tensor<2x3xf64>, %b: tensor<2xf64>, %c: tensor<3xf64>) -> (tensor<2x3xf64>, tensor<3xf64>, tensor<2xf64>) {
  %0:3 = "mr.map"(%a, %b, %c) ({
  ^bb0(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<f64>):
    %1 = stablehlo.multiply %x, %y : tensor<2xf64>
    %2 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %3 = stablehlo.sine %1 : tensor<2xf64>
    %4 = stablehlo.multiply %3, %2 : tensor<2xf64>
    %5 = stablehlo.dot_general %4, %1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %6 = stablehlo.exponential %y : tensor<2xf64>
    "mr.return"(%4, %5, %6) : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> ()
  }) {placement = "clients", in_axes = array<i64: 1, -1, 0>, out_axes = array<i64: 1, 0, -1>} : (tensor<2x3xf64>, tensor<2xf64>, tensor<3xf64>) -> (tensor<2x3xf64>, tensor<3xf64>, tensor<2xf64>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf64>, tensor<3xf64>, tensor<2xf64>
})"),
                        "axes of maps");
}

TEST(PlacementDerivatives, nested_maps_and_reductions) {
  expect_derivatives_of(placed(R"(
func.func @main(%w: tensor<2xf64>, %d: tensor<2x3x2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %ws = "mr.broadcast"(%w) {placement = "hosts"} : (tensor<2xf64>) -> tensor<2x2xf64>
  %0 = "mr.map"(%ws, %d) ({
  ^bb0(%h: tensor<2xf64>, %e: tensor<3x2xf64>):
    %hs = "mr.broadcast"(%h) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%hs, %e) ({
    ^bb1(%x: tensor<2xf64>, %y: tensor<2xf64>):
      %i = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
      %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>
      %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %2 = stablehlo.multiply %x, %y : tensor<2xf64>
      %3 = stablehlo.add %2, %g : tensor<2xf64>
      %4 = stablehlo.tanh %3 : tensor<2xf64>
      "mr.return"(%4) : (tensor<2xf64>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %5 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    "mr.return"(%5) : (tensor<2xf64>) -> ()
  }) {placement = "hosts", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<2x2xf64>, tensor<2x3x2xf64>) -> tensor<2x2xf64>
  %6 = "mr.reduce_sum"(%0) {placement = "hosts"} : (tensor<2x2xf64>) -> tensor<2xf64>
  %7 = "mr.reduce_max"(%0) {placement = "hosts"} : (tensor<2x2xf64>) -> tensor<2xf64>
  %8 = stablehlo.dot_general %6, %6, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  return %8, %7 : tensor<f64>, tensor<2xf64>
})"),
                        "nested maps");
}

/// A reduction of several values with a mask, for kept values of the last operands.
std::string reduction(const std::string& op, bool is_weighted, bool full_weight, bool none) {
  const std::string w = full_weight ? "tensor<3x2xf64>" : "tensor<3xf64>";
  const std::string first = full_weight ? "%a, %b" : "%a, %b";
  return placed(cat(
      "func.func @main(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>, %w: ", w,
      ", %k: tensor<2xf64>, %l: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {\n",
      "  %mask = stablehlo.constant dense<", none ? "false" : "[true, false, true]",
      "> : tensor<3xi1>\n  %0:2 = \"", op, "\"(", first, is_weighted ? ", %w" : "",
      ", %mask, %k, %l) {placement = \"clients\", on_zero_weight = \"keep\", operand_segments = "
      "array<i64: 2, ",
      is_weighted ? 1 : 0, ", 1, 2>} : (tensor<3x2xf64>, tensor<3x2xf64>, ",
      is_weighted ? w + ", " : "",
      "tensor<3xi1>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)\n",
      "  return %0#0, %0#1 : tensor<2xf64>, tensor<2xf64>\n}"));
}

TEST(PlacementDerivatives, masks_and_values_to_keep) {
  for (const bool none : {false, true}) {
    for (const char* op : {"mr.reduce_mean", "mr.reduce_max", "mr.reduce_min"})
      expect_derivatives_of(reduction(op, false, false, none), cat(op, none ? " of none" : ""));
    for (const bool full : {false, true})
      expect_derivatives_of(
          reduction("mr.reduce_weighted_mean", true, full, none),
          cat("weighted mean", full ? " by element" : "", none ? " of none" : ""));
  }
}

TEST(PlacementDerivatives, calls_and_captured_parameters) {
  expect_derivatives_of(placed(R"(
func.func private @f(%x: tensor<2xf64>, %y: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0 = stablehlo.multiply %x, %y : tensor<2xf64>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  return %1, %0 : tensor<f64>, tensor<2xf64>
}
func.func @main(%x: tensor<2xf64>, %d: tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0:2 = "mr.map"(%x, %d) ({
  ^bb0(%p: tensor<2xf64>, %q: tensor<2xf64>):
    %1:2 = func.call @f(%p, %q) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
    %2:2 = func.call @f(%1#1, %p) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
    %3 = stablehlo.add %1#0, %2#0 : tensor<f64>
    "mr.return"(%3, %2#1) : (tensor<f64>, tensor<2xf64>) -> ()
  }) {placement = "clients", in_axes = array<i64: -1, 0>, out_axes = array<i64: 0, 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<3xf64>, tensor<3x2xf64>)
  %4 = "mr.reduce_mean"(%0#0) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
  %5 = "mr.reduce_min"(%0#1) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
  return %4, %5 : tensor<f64>, tensor<2xf64>
})"),
                        "calls");
}

TEST(PlacementDerivatives, both_modes_give_one_gradient) {
  const auto module = ir::parse_module(R"(
func.func private @f(%x: tensor<3xcomplex<f64>>, %y: tensor<2x2xf64>, %e: tensor<0xf64>) -> tensor<f64> {
  %0 = stablehlo.multiply %x, %x : tensor<3xcomplex<f64>>
  %1 = stablehlo.abs %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %3 = stablehlo.sine %y : tensor<2x2xf64>
  %4 = stablehlo.reduce(%3 init: %2) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
  %5 = stablehlo.reduce(%e init: %4) applies stablehlo.add across dimensions = [0] : (tensor<0xf64>, tensor<f64>) -> tensor<f64>
  return %5 : tensor<f64>
}
func.func @main(%x: tensor<3xcomplex<f64>>, %y: tensor<2x2xf64>, %e: tensor<0xf64>) -> (tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>, tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>) {
  %r:3 = "mr.grad"(%x, %y, %e) {callee = @f, wrt = array<i64: 0, 1, 2>} : (tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>) -> (tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>)
  %t:3 = "mr.grad"(%x, %y, %e) {callee = @f, wrt = array<i64: 0, 1, 2>, mode = "forward"} : (tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>) -> (tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>)
  return %r#0, %r#1, %r#2, %t#0, %t#1, %t#2 : tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>, tensor<3xcomplex<f64>>, tensor<2x2xf64>, tensor<0xf64>
})",
                                       "modes");
  const Function& main = module->entry("main");
  Inputs inputs(3);
  Numbers x;
  for (const Type& type : main.argument_types()) x.push_back(inputs.draw(type, 0.5, 2));
  const Numbers found = ir::Interpreter(*module).run(main, x);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto reverse = numbers(*found[k]), forward = numbers(*found[k + 3]);
    for (std::size_t i = 0; i < reverse.size(); ++i)
      EXPECT_NEAR(reverse[i], forward[i], 1e-12) << k << ", " << i;
  }
}

/// The error that differentiating or making a program gives.
std::string refusal(const std::string& text) {
  try {
    const auto module = ir::parse_module(text, "refused");
    ir::expand_derivatives(*module);
  } catch (const Error& e) {
    EXPECT_EQ(int(e.kind()), int(ErrorKind::user)) << e.what();
    return e.what();
  }
  return "none";
}

TEST(PlacementDerivatives, what_mr_grad_refuses) {
  const auto program = [](const std::string& attributes, const std::string& result) {
    return cat(
        "func.func private @f(%x: tensor<2xf32>, %i: tensor<2xi32>) -> ", result,
        " {\n  %0 = stablehlo.constant dense<1> : ", result, "\n  return %0 : ", result,
        "\n}\nfunc.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {\n  %0 = "
        "\"mr.grad\"(%x, %i) {",
        attributes,
        "} : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}");
  };
  const auto expect = [&](const std::string& attributes, const std::string& part,
                          const std::string& result = "tensor<f32>") {
    EXPECT_NE(refusal(program(attributes, result)).find(part), std::string::npos)
        << part << "\n"
        << refusal(program(attributes, result));
  };
  expect("callee = @g", "mr.grad: expected the name of a function, found @g");
  expect("callee = @f", "expected @f to return one scalar of floats, found tensor<2xf32>",
         "tensor<2xf32>");
  expect("callee = @f", "expected @f to return one scalar of floats, found tensor<i32>",
         "tensor<i32>");
  expect("callee = @f, wrt = array<i64: 2>", "expected operands within [0, 2) in wrt, found 2");
  expect("callee = @f, wrt = array<i64: 1>",
         "expected operand 1 (in wrt) of floats or complex numbers, found tensor<2xi32>");
  expect("callee = @f, wrt = array<i64>", "expected at least 1 operand in wrt, found none");
  expect("callee = @f, wrt = array<i64: 0, 0>", "expected each operand once in wrt, found 0 twice");
  expect("callee = @f, mode = \"backward\"",
         "expected mode to be reverse or forward, found \"backward\"");
  expect("callee = @f, value = true", "mr.grad: expected 2 results, found 1");
}

}  // namespace
}  // namespace partita::testing
