// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What ops that name a function of the module share.
#pragma once

#include <string>

#include "partita/ir/op.hpp"

namespace partita::ir::ops {

/// The function of the module that has this name, and arguments of the operands' types; `what` says
/// what a wrong name should have been.
const Function& expect_callee(const InferContext& c, const std::string& name,
                              const std::string& what = "the name of a function");

}  // namespace partita::ir::ops
