// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batch normalisations as simpler ops, for the pass that compiles them so and for their derivatives.
#pragma once

#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Makes the ops that a node of batch_norm_inference, _training or _grad stands for, at the end of
/// the graph or before a node; returns what stands for its results.
[[nodiscard]] std::vector<Value> normalization_ops(Graph& graph, const Node& node,
                                                   Node* before = nullptr);

}  // namespace partita::ir
