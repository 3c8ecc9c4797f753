// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Algebra of the mr ops: reductions of broadcasts, maps with results or operands they do not need.
#include <algorithm>

#include "passes/analysis/constants.hpp"
#include "passes/analysis/rewriter.hpp"

namespace partita::passes {

void add_placement_rules(RuleTable&) {}

}  // namespace partita::passes
