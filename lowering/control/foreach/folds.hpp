// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a body over partitions leaves: folded into an accumulator, or stacked.
#pragma once

#include "lowering/context/context.hpp"

namespace partita::passes {

/// accumulator = combine(accumulator, v) elementwise, or over the first `count` lanes of v.
void lower_fold(Context& context, ir::Value v, Location accumulator, Combiner combiner,
                bool has_lanes, const HostExpr& count);
/// Writes the first `count` lanes of v (all of it when it has none) at `to`.
void lower_stack(Context& context, ir::Value v, Location to, bool has_lanes, const HostExpr& count);

}  // namespace partita::passes
