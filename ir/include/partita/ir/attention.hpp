// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What mr.attention stands for.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Makes products, the region on all scores, a softmax; returns what stands for the node's result.
[[nodiscard]] Value attention_ops(Graph& graph, const Node& node, Node* before = nullptr);

}  // namespace partita::ir
