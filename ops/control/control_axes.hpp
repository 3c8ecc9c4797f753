// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How `while`, `case` and `if` take a further dimension.
#pragma once

#include "ir/axes/batching.hpp"
#include "ir/axes/removal.hpp"

namespace partita::ir::ops {

void batch_while(const BatchJob& job);
void batch_branches(const BatchJob& job);  ///< case and if

}  // namespace partita::ir::ops
