// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Nodes that look at neighbours along a dimension which an axis of a mesh cuts: each shard makes its part of the result
// from its part of the operands and a halo.
#pragma once

#include <limits>

#include "passes/transforms/partition/needed_pieces.hpp"
#include "passes/transforms/partition/node_windows.hpp"

namespace partita::passes {

/// One of the operands over which a node has windows, and how they are found in parts of it.
struct WindowedOperand {
  std::size_t k = 0;
  int dim = 0;
  Halo halo;
};

/// How an axis goes through such a node.
struct WindowedFlow {
  ir::AxisFlow flow;  ///< reduced where parts of a convolution's kernel give terms of its result
  std::vector<WindowedOperand> operands;
  double cost = std::numeric_limits<double>::infinity();  ///< as flow_cost
};
/// The one of the least cost; infinite: the node has none.
[[nodiscard]] WindowedFlow choose_windows(const ir::Node& node, const MeshCut& cut,
                                          const AxisPlan& plan, const HeldValues& held,
                                          NeededPieces& needed);

/// The shard's parts of the node's results, or its term of the one.
[[nodiscard]] std::vector<ir::Value> windowed_parts(const ir::Node& node, const WindowedFlow& flow,
                                                    const MeshCut& cut, HeldValues& held,
                                                    Halos& halos, ir::Graph& into);

}  // namespace partita::passes
