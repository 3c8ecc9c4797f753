// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a body over partitions leaves: folded into an accumulator, or stacked.
#pragma once

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// accumulator = combine(accumulator, v) elementwise, or over the first `count` partitions of a block
/// v of them.
void lower_fold(Context& context, ir::Value v, Location accumulator, Combiner combiner,
                bool is_block, const HostExpr& count);
/// Writes the first `count` partitions of a block v (all of it when it is none) at `to`.
void lower_stack(Context& context, ir::Value v, Location to, bool is_block, const HostExpr& count);

}  // namespace partita::lowering
