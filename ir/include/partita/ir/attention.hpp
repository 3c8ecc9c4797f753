// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What mr.attention and mr.attention_gradient stand for, and what their operands are.
#pragma once

#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Operands of mr.attention (the first three) and of mr.attention_gradient.
namespace attention {
enum Operand : std::uint8_t {
  queries,     ///< [b, m, d]
  keys,        ///< [b, n, d]
  values,      ///< [b, n, e]
  cotangents,  ///< [b, m, e], of the weighted values
  maxima,      ///< [b, m], of each row of scores
  sums,        ///< [b, m], of a row's weights relative to its maximum
  dots,        ///< [b, m], of a row's cotangent and its weighted values
};
}  // namespace attention

/// The first of the operands [b, m, n] that are elements for the regions of an op of either kind.
[[nodiscard]] std::size_t first_region_operand(const Node& node);

/// Makes products, the region on all scores, a softmax; returns what stands for the node's results.
[[nodiscard]] std::vector<Value> attention_ops(Graph& graph, const Node& node,
                                               Node* before = nullptr);
/// The same of a gradient, which computes and stores scores again.
[[nodiscard]] std::vector<Value> attention_gradient_ops(Graph& graph, const Node& node,
                                                        Node* before = nullptr);

}  // namespace partita::ir
