// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A loop that visits every partition in turn is a map: it slices its inputs at the counter, stacks
// its results at the counter, and carries nothing from one turn to the next.  JAX's scan over a
// placement looks like this.
#pragma once

#include <map>
#include <string>

#include "partita/ir/graph.hpp"

namespace partita::passes {

/// Replaces such loops of `graph` (not of regions) whose trip count is the size of one of
/// `placements` by mr.map over it; returns how many.
int scans_to_maps(ir::Graph& graph, const std::map<std::string, std::int64_t>& placements);

}  // namespace partita::passes
