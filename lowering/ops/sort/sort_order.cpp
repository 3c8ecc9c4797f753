// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/sort_order.hpp"

#include <algorithm>
#include <functional>

#include "partita/ir/op.hpp"

namespace partita::lowering {

using ir::Node;

std::int64_t used_prefix(const Node& sort, std::size_t dimension, std::int64_t n) {
  std::int64_t most = 0;
  const auto is_result = [&](ir::Value v) { return v.node == &sort; };
  const auto all = [&] { most = n; };
  const std::function<void(const ir::Graph&)> visit = [&](const ir::Graph& graph) {
    if (std::ranges::any_of(graph.results, is_result)) all();
    for (const Node* user : graph.nodes()) {
      for (const auto& region : user->regions()) visit(*region);
      if (std::ranges::none_of(user->operands(), is_result)) continue;
      if (!user->is("stablehlo.slice")) return all();
      most = std::max(most, user->attrs.i64s("limit_indices")[dimension]);
    }
  };
  visit(*sort.graph());
  return most;
}

}  // namespace partita::lowering
