// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What happens to a plan after its kernels are formed: copies whose source and target can be one
// buffer disappear, steps nobody reads disappear, and temporaries get offsets in one arena so that
// those alive at the same time do not overlap.
#pragma once

#include "kernel/ast/plan_draft.hpp"

namespace partita::passes {

/// Merges the source of a copy with its target where nothing can tell the difference.
void remove_copies(PlanDraft& draft);
/// Removes steps that only write temporaries which nothing reads, and kernels nobody launches.
void remove_dead_steps(PlanDraft& draft);
/// Sets Buffer::arena_offset and Plan::arena_bytes; drops buffers that are not used.  Buffers that are
/// not alive together overlap if `shares`; else each is followed by memory that is nobody's.
void assign_arena(PlanDraft& draft, bool shares = true);

}  // namespace partita::passes
