// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the second half of a collective does: it takes the token of the start, and gives what the start left
// with the interpreter.
#pragma once

#include "ops/support/support.hpp"

namespace partita::ir::ops {

/// One operand, a token; results as declared.
[[nodiscard]] std::vector<Type> infer_done(const InferContext& c);
/// What the start left (Interpreter::in_flight).  A user error for a token that was taken before, and where
/// results of other types are declared.
[[nodiscard]] std::vector<Tensor> eval_done(const EvalContext& c);

}  // namespace partita::ir::ops
