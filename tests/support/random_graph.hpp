// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random programs over the whole table of ops, for tests that compare two ways to run them: rows of
// elementwise.def on any dtype, and the bodies of ops' samples, joined by conversions and reshapes.
//
// So that a difference means a defect, the generator bounds how far two right answers may be apart:
// each value has a `noise`, 0 where every implementation must give the same number.  Ops that jump
// (comparisons, floor, conversions to integers) take values without noise only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"
#include "partita/ir/graph.hpp"

namespace partita::testing {

struct RandomGraph {
  std::unique_ptr<ir::Module> module;  ///< with a function @main
  std::vector<HostArray> inputs;       ///< one per argument
  std::vector<double> noise;           ///< of each result, relative to its largest element and to 1
};

/// The same seed gives the same program.
[[nodiscard]] RandomGraph random_graph(unsigned seed, int steps);

/// "result 1 at element 3: expected 1.5, found 2.5"; empty where the two are as close as noise allows.
[[nodiscard]] std::string noise_difference(const std::vector<HostArray>& found,
                                           const std::vector<HostArray>& expected,
                                           const std::vector<double>& noise);

}  // namespace partita::testing
