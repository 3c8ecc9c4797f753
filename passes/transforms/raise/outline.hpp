// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Turns the nodes along which an axis is parallel back into maps: the body is the program of one
// partition, values from outside are broadcast, sums along the axis become reductions.
#pragma once

#include <string>
#include <vector>

#include "ir/axes/axis_tracker.hpp"

namespace partita::passes {

struct OutlineResult {
  int maps = 0, reductions = 0;
  std::vector<std::string> remarks;  ///< what could not be taken in, and why
  /// The same for nodes whose regions reduce the axis: true where nothing is recovered in them.
  std::vector<std::pair<const ir::Node*, std::string>> reduced_inside;
};

/// Rewrites `graph` (all uses below `root`, which holds it).
OutlineResult outline(ir::Graph& graph, const ir::AxisTracker& tracker,
                      const std::string& placement, std::int64_t size);

}  // namespace partita::passes
