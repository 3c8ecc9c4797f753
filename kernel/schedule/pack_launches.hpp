// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fewer launches for the same plan: launches with little to do that do not need each other's results
// become one, whatever their sizes.  What is computed does not change, nor in what order.
#pragma once

#include "kernel/ast/plan_draft.hpp"

namespace partita::passes {

/// For plans without arena offsets: launches move, and values live longer by it.
void pack_launches(PlanDraft& draft);

}  // namespace partita::passes
