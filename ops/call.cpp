// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/callee.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  if (!c.module) return {c.declared_results.begin(), c.declared_results.end()};
  return expect_callee(c, c.attrs.text("callee")).result_types;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const Function* function = c.interpreter.module().find(c.node.attrs.text("callee"));
  PARTITA_ASSERT(function != nullptr);
  return c.interpreter.run(*function, c.operands);
}

}  // namespace

void register_call(OpRegistry& registry) {
  OpDef op;
  op.name = "func.call";
  op.doc = "Results of a function of the module on the operands; removed by inline.";
  op.attrs = {AttrSpec{.name = "callee", .kind = AttrKind::symbol}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("the function is differentiated in its place");
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
