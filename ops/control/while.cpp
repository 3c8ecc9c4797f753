// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/control/control_axes.hpp"
#include "ops/control/control_derivatives.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

void expect_arguments(const InferContext& c, const Graph& region, const std::string& what) {
  const std::vector<Value> arguments = region.arguments();
  c.expect(arguments.size() == c.operands.size(),
           cat(what, " of ", c.operands.size(), " arguments"), cat(arguments.size()));
  for (std::size_t k = 0; k < arguments.size(); ++k)
    c.expect(arguments[k].type() == c.operands[k],
             cat("argument ", k, " of the ", what, " of type ", to_string(c.operands[k])),
             to_string(arguments[k].type()));
}

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.regions.size() == 2, "2 regions", cat(c.regions.size()));
  const Graph &condition = *c.regions[0], &body = *c.regions[1];
  expect_arguments(c, condition, "condition");  // (C1)
  c.expect(condition.results.size() == 1 && condition.results[0].type() == Type::scalar(DType::i1),
           "a condition that returns tensor<i1>",
           condition.results.empty() ? "nothing" : to_string(condition.results[0].type()));
  expect_arguments(c, body, "body");  // (C2)
  c.expect(body.results.size() == c.operands.size(),
           cat("a body that returns ", c.operands.size(), " values"), cat(body.results.size()));
  for (std::size_t k = 0; k < body.results.size(); ++k)
    c.expect(body.results[k].type() == c.operands[k],
             cat("value ", k, " that the body returns of type ", to_string(c.operands[k])),
             to_string(body.results[k].type()));
  return {c.operands.begin(), c.operands.end()};  // (C3)
}

std::vector<Tensor> eval(const EvalContext& c) {
  std::vector<Tensor> state(c.operands.begin(), c.operands.end());
  while (c.run_region(0, state)[0]->data<DType::i1>()[0] != 0)
    state = c.run_region(1, std::move(state));
  return state;
}

}  // namespace

void register_while(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.while";
  op.doc =
      "Runs the body on its values for as long as the condition holds; both regions may capture.";
  op.infer = infer;
  op.eval = eval;
  op.regions_capture = true;
  op.batch = batch_while;
  op.remove_axis = remove_control_flow;
  op.derivative = loop_derivative();
  op.samples = {
      R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<4xf32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %b : tensor<4xf32>
    stablehlo.return %2, %1 : tensor<4xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<i32>
})",
      // A scan from the last row to the first, with a loop inside.
      R"(func.func @main(%xs: tensor<3x2xf32>, %a: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %0:4 = stablehlo.while(%i = %two, %c = %a, %ys = %empty, %v = %w) : tensor<i32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>
  cond {
    %n = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare GE, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x2xf32>) -> tensor<2xf32>
    %3:2 = stablehlo.while(%d = %c, %j = %zero) : tensor<2xf32>, tensor<i32>
    cond {
      %4 = stablehlo.compare LT, %j, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.multiply %d, %v : tensor<2xf32>
      %5 = stablehlo.convert %j : (tensor<i32>) -> tensor<f32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %7 = stablehlo.multiply %2, %6 : tensor<2xf32>
      %8 = stablehlo.add %4, %7 : tensor<2xf32>
      %9 = stablehlo.sine %8 : tensor<2xf32>
      %10 = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %9, %10 : tensor<2xf32>, tensor<i32>
    }
    %11 = stablehlo.multiply %3#0, %2 : tensor<2xf32>
    %12 = stablehlo.reshape %11 : (tensor<2xf32>) -> tensor<1x2xf32>
    %13 = stablehlo.dynamic_update_slice %ys, %12, %i, %zero : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %14 = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %14, %3#0, %13, %v : tensor<i32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<3x2xf32>
})",
      // Counters of other steps, a branch inside, a carry that changes places with another.
      R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i64>) {
  %start = stablehlo.constant dense<1> : tensor<i64>
  %0:3 = stablehlo.while(%i = %start, %x = %a, %y = %b) : tensor<i64>, tensor<2xf32>, tensor<2xf32>
  cond {
    %n = stablehlo.constant dense<8> : tensor<i64>
    %1 = stablehlo.compare LE, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %three = stablehlo.constant dense<3> : tensor<i64>
    %four = stablehlo.constant dense<4> : tensor<i64>
    %is = stablehlo.compare EQ, %i, %four, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = "stablehlo.if"(%is) ({
      %2 = stablehlo.multiply %x, %y : tensor<2xf32>
      %3 = stablehlo.sine %2 : tensor<2xf32>
      stablehlo.return %3 : tensor<2xf32>
    }, {
      %2 = stablehlo.add %y, %b : tensor<2xf32>
      stablehlo.return %2 : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    %4 = stablehlo.add %i, %three : tensor<i64>
    stablehlo.return %4, %1, %x : tensor<i64>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#1, %0#2, %0#0 : tensor<2xf32>, tensor<2xf32>, tensor<i64>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
