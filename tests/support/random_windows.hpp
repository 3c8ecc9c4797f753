// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random programs of nodes that look at neighbours along one dimension, which a mesh cuts: slices, pads,
// concatenations, windows, convolutions with their gradients, also in loops.  All numbers are small integers, so that
// results are exact in whatever order they are summed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "partita/ir/graph.hpp"
#include "partita/ir/op.hpp"

namespace partita::testing {

struct WindowProgram {
  std::unique_ptr<ir::Module> module;  ///< with a mesh of 2 to 8 shards, and shardings
  std::vector<ir::Tensor> inputs;
  std::string mesh;  ///< its text
};

/// The same seed gives the same program.
[[nodiscard]] WindowProgram random_windows(unsigned seed);

}  // namespace partita::testing
