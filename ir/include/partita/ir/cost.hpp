// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a program takes, counted from its ops before anything is known of kernels: for choices between forms of it, and
// for hosts that ask.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Simple operations of a node, without those of regions that run as programs do (loops, branches, maps): of products two
/// for each term, of sorting what comparing takes, else what its op says an element costs, at least one.
[[nodiscard]] double node_operations(const Node& node);

struct Cost {
  double flops = 0;            ///< a multiply-add is two; elements of other ops one
  double transcendentals = 0;  ///< elements of exp, log, tanh, …
  double bytes =
      0;  ///< of arguments and results, and of values that are no ops by elements, written and read
};
/// Of one run.  Bodies of loops count as often as they run where that is known, else once; of branches the one with the most
/// flops; bodies of maps for each partition.
[[nodiscard]] Cost cost_of(const Function& function);

}  // namespace partita::ir
