// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whether the work-items of a kernel are independent of each other, proven from its index expressions
// and from what the plan's launches bind its buffers to.  Only then does generated code promise
// compilers so (docs/decisions/0011-promises-of-generated-code.md).
#pragma once

#include "kernel/ast/plan_draft.hpp"

namespace partita::passes {

/// Sets Kernel::has_independent_items of all kernels that the plan launches.  Buffers must have their
/// places (assign_arena).
void prove_independence(PlanDraft& draft);

}  // namespace partita::passes
