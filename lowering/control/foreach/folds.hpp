// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a body over partitions leaves: folded into an accumulator, or stacked.
#pragma once

#include <string>

#include "lowering/context/context.hpp"

namespace partita::passes {

/// What changes nothing under a combiner.
[[nodiscard]] double fold_identity(const std::string& combiner, DType d);
/// accumulator = combine(accumulator, v) elementwise, or over the first `count` lanes of v.
void lower_fold(Context& context, ir::Value v, Location accumulator, const std::string& combiner,
                bool has_lanes, const HostExpr& count);
/// Writes the first `count` lanes of v (all of it when it has none) at `to`.
void lower_stack(Context& context, ir::Value v, Location to, bool has_lanes, const HostExpr& count);

}  // namespace partita::passes
