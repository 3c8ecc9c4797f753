// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// In MLIR a reducer or a comparator may use constants from around its op, and artifacts that share
// equal constants do.  Here such regions are isolated: each gets copies of the constants it uses.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Copies constants from outside of the region, which it or a region below uses, to its beginning.
void copy_captured_constants(Graph& region);

}  // namespace partita::ir
