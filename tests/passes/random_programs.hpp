// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Small random programs over f32, i32 and i1 arrays, with loops and branches that capture, for tests
// that compare values before and after passes.  The same seed gives the same program.
#pragma once

#include <memory>
#include <random>

#include "partita/ir/graph.hpp"

namespace partita::testing {

[[nodiscard]] std::unique_ptr<ir::Module> random_program(unsigned seed, int nodes);

}  // namespace partita::testing
