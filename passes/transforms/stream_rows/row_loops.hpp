// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops over the blocks of a region.
#pragma once

#include "passes/transforms/stream_rows/row_region.hpp"

namespace partita::passes {

/// Puts a loop for each stage of the region in its place: a block's rows of what leaves the region are
/// written where they belong, sums over the rows are added up.  A later stage computes again what is large.
/// `uses` are those before.
void make_row_loops(ir::Graph& graph, const GraphUses& uses, const RowRegion& region);

}  // namespace partita::passes
