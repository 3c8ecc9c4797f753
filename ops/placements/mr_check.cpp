// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.operands.size() == 1, "1 operand", cat(c.operands.size()));
  c.expect(c.operands[0] == Type::scalar(DType::i1), "operand of type tensor<i1>",
           to_string(c.operands[0]));
  return {};
}

std::vector<Tensor> eval(const EvalContext& c) {
  if (c.operands[0]->data<DType::i1>()[0] == 0)
    throw_user_error(c.node.attrs.text("message"), c.node.location());
  return {};
}

}  // namespace

void register_mr_check(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.check";
  op.doc = "Ends the run with a user error, `message`, when the condition does not hold.";
  op.attrs = {AttrSpec{.name = "message", .kind = AttrKind::text}};
  op.infer = infer;
  op.eval = eval;
  op.has_side_effect = true;
  op.derivative = Derivative::none("has no result");
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
