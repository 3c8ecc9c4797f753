// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatters on devices of many items whose results are the same in whatever order updates are applied: integers by a
// simple combiner.
#pragma once

#include <vector>

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// Applies updates to `results`, which hold the operands, each by an item of its own; false where that is not how they
/// are to be applied.
[[nodiscard]] bool lower_atomic_scatter(Context& context, const ir::Node& node,
                                        const std::vector<Location>& results);

}  // namespace partita::lowering
