// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fewer launches for the same plan: launches over the same items that follow each other, or that may
// be moved so that they do, become one kernel with several results.  A value that only such a kernel
// reads is never stored.  Values keep their buffers; what is computed does not change.
#pragma once

#include "kernel/ast/plan_draft.hpp"

namespace partita::passes {

/// Merges launches wherever that saves memory traffic or a launch is short.
void fuse_launches(PlanDraft& draft);
/// Leaves out what kernels store into temporaries that nothing reads.
void remove_unread_stores(PlanDraft& draft);

}  // namespace partita::passes
