// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/in_flight.hpp"

#include <algorithm>

#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {

std::vector<Type> infer_done(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.operands[0].is_token, "a token", to_string(c.operands[0]));
  return {c.declared().begin(), c.declared().end()};
}

std::vector<Tensor> eval_done(const EvalContext& c) {
  const auto at = c.interpreter.in_flight.find(c.node.operand(0).node);
  if (at == c.interpreter.in_flight.end())
    throw_user_error(
        cat(c.node.name(),
            ": expected the token of a start that has not been taken yet, found another"),
        c.node.location());
  std::vector<Tensor> values = std::move(at->second);
  c.interpreter.in_flight.erase(at);
  const bool fits = values.size() == c.node.result_types().size() &&
                    std::ranges::equal(values, c.node.result_types(), {},
                                       [](const Tensor& t) { return t->type; });
  if (!fits)
    throw_user_error(
        cat(c.node.name(), ": expected results of the types of what was started, found others"),
        c.node.location());
  return values;
}

}  // namespace partita::ir::ops
