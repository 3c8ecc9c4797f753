// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random programs over the whole table of ops, for tests that compare two ways to run them: rows of
// elementwise.def on any dtype, and the bodies of ops' samples, joined by conversions and reshapes; half
// of the programs also hold shapes of random_scope.hpp.
//
// So that a difference means a defect, the generator bounds how far two right answers may be apart:
// each value has a `noise`, 0 where every implementation must give the same number.  Ops that jump
// (comparisons, floor, conversions to integers) take values without noise only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"
#include "partita/ir/graph.hpp"
#include "tests/support/random_scope.hpp"

namespace partita::testing {

/// Goes up when a change of the generator gives seeds another meaning.  So does a new row or sample, but
/// what was run before counts on: tests/fuzz/ledger.tsv says with which commit.
constexpr int random_graph_version = 5;

struct RandomGraph {
  std::unique_ptr<ir::Module> module;  ///< with a function @main
  std::vector<HostArray> inputs;       ///< one per argument
  std::vector<double> noise;           ///< of each result, relative to its largest element and to 1
  Census census;                       ///< of its shapes
};

/// The same seed gives the same program.
[[nodiscard]] RandomGraph random_graph(unsigned seed, int steps);

/// A program for each sample of an op that can stand in any program, named by the op.
struct SampleGraph {
  std::string op;
  RandomGraph program;
};
[[nodiscard]] std::vector<SampleGraph> sample_graphs();

/// Independent programs as one: their arguments in order, then their results in order.
[[nodiscard]] RandomGraph merged(std::span<const RandomGraph> parts);

/// What the program gives by the reference interpreter.
[[nodiscard]] std::vector<HostArray> interpreted(const RandomGraph& program);

/// "result 1 at element 3: expected 1.5, found 2.5"; empty where the two are as close as noise allows.
[[nodiscard]] std::string noise_difference(std::span<const HostArray> found,
                                           std::span<const HostArray> expected,
                                           std::span<const double> noise);

}  // namespace partita::testing
