// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops over rounds written out, for reverse mode: what a round's maps keep stays with its partitions,
// where a stack of all rounds would be one array that no partition owns.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Replaces loops whose bodies hold placement ops, and whose trip count is known, by as many copies of
/// the body, unless that becomes very long.
void unroll_rounds(Graph& graph);

}  // namespace partita::ir
