// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops that run while any index of an axis wants to, as batching makes them of loops: whether each
// index could as well run a loop of its own.
#pragma once

#include <string>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// `predicate` is a value of the loop's condition, of which some element must hold for the loop to go on.
/// Empty when the body selects everything that it changes by the same value (else it keeps its
/// argument), so that an index none of whose elements holds stays as it is; else what does not.
[[nodiscard]] std::string why_not_masked(const Node& loop, Value predicate);

}  // namespace partita::ir
