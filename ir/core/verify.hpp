// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Parts of ir::verify, for readers that leave out what is not correct.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// What concerns no function alone: placements, names used twice.
void verify_module_level(const Module& module);
/// One function, and the depth of the calls that it makes.
void verify_function(const Module& module, const Function& function);

}  // namespace partita::ir
