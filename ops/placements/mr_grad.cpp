// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.grad: the gradient of a function of the module at the operands; expanded by `differentiate`.
#include <set>

#include "ops/support/callee.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

void expect_wrt(const InferContext& c, const I64s& wrt) {
  c.expect(!wrt.empty(), "at least 1 operand in wrt", "none");
  std::set<std::int64_t> seen;
  for (const std::int64_t k : wrt) {
    c.expect(k >= 0 && k < std::int64_t(c.operands.size()),
             cat("operands within [0, ", c.operands.size(), ") in wrt"), cat(k));
    c.expect(has_tangent(c.operands[std::size_t(k)]),
             cat("operand ", k, " (in wrt) of floats or complex numbers"),
             to_string(c.operands[std::size_t(k)]));
    c.expect(seen.insert(k).second, "each operand once in wrt", cat(k, " twice"));
  }
}

Type result_of(const InferContext& c, const std::string& callee) {
  const auto& results = expect_callee(c, callee).result_types;
  c.expect(results.size() == 1 && results[0].dims.empty() && is_float(results[0].dtype),
           cat("@", callee, " to return one scalar of floats"),
           results.size() == 1 ? to_string(results[0]) : cat(results.size(), " results"));
  return results[0];
}

std::vector<Type> infer(const InferContext& c) {
  const I64s wrt = c.attrs.contains("wrt") ? c.attrs.i64s("wrt") : I64s{0};
  expect_wrt(c, wrt);
  const std::string mode = c.attrs.text("mode", "reverse");
  c.expect(mode == "reverse" || mode == "forward", "mode to be reverse or forward",
           cat("\"", mode, "\""));
  if (!c.module) return {c.declared().begin(), c.declared().end()};
  std::vector<Type> types;
  const Type value = result_of(c, c.attrs.text("callee"));
  if (c.attrs.flag("value")) types.push_back(value);
  for (const std::int64_t k : wrt) types.push_back(c.operands[std::size_t(k)]);
  return types;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const Graph& graph =
      c.interpreter.expansion(c.node, [&] { return expanded(c.interpreter.module(), c.node); });
  return c.interpreter.run(graph, {c.operands.begin(), c.operands.end()});
}

}  // namespace

void register_mr_grad(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.grad";
  op.doc =
      "Gradients of the scalar that `callee` returns, one for each operand in `wrt`; after that "
      "scalar when `value`. Expanded by differentiate.";
  op.attrs = {AttrSpec{.name = "callee", .kind = AttrKind::symbol},
              AttrSpec{.name = "wrt", .kind = AttrKind::i64s, .required = false},
              AttrSpec{.name = "value", .kind = AttrKind::boolean, .required = false},
              AttrSpec{.name = "mode", .kind = AttrKind::text, .required = false}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("is expanded before");
  op.samples = {R"(func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<3xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "mr.grad"(%x, %y) {callee = @f, wrt = array<i64: 0, 1>, value = true} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<3xf32>, tensor<3xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
