// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Whether the node, or one in its regions, does more than compute its results (OpDef::has_side_effect).
[[nodiscard]] bool has_effects(const Node& node);

}  // namespace partita::ir
