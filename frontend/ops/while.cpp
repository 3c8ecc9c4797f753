// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/ops/support.hpp"

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
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
