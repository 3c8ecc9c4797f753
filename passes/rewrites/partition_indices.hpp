// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// In nested placements an inner body may ask for an outer partition's index.  Map regions are
// isolated, so the index is passed in: afterwards every mr.partition_index names the placement of
// the map it stands in.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::passes {

void localise_partition_indices(ir::Graph& graph, const ir::Module& module);

}  // namespace partita::passes
