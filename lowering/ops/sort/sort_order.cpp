// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/sort_order.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "partita/ir/op.hpp"

namespace partita::lowering {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// Whether comparing greater or less is a strict order of all elements of the operands.
bool is_strict(const Node& compare) {
  const std::string_view direction = compare.attrs.text("comparison_direction");
  if (direction != "GT" && direction != "LT") return false;
  const DType d = compare.operand(0).type().dtype;
  return is_integer(d) || (is_float(d) && compare.attrs.text("compare_type", "") == "TOTALORDER");
}

/// Whether `b` is made of the elements of one side as `a` is of those of the other.  `side`: of `a`, once it is known.
bool mirrors(const Graph& region, Value a, Value b, std::optional<int>& side) {
  if (region.is_argument(a)) {
    if (!region.is_argument(b) || (a.index ^ 1) != b.index) return false;
    if (!side) side = a.index & 1;
    return *side == (a.index & 1);
  }
  if (region.is_argument(b) || a.index != b.index) return false;
  const Node &x = *a.node, &y = *b.node;
  if (x.name() != y.name() || x.attrs != y.attrs || !x.regions().empty() ||
      x.operands().size() != y.operands().size() || a.type() != b.type())
    return false;
  for (std::size_t k = 0; k < x.operands().size(); ++k)
    if (!mirrors(region, x.operand(k), y.operand(k), side)) return false;
  return true;
}

}  // namespace

bool has_order(const Node& sort) {
  const Graph& region = sort.region(0);
  const Node& compare = *region.results.at(0).node;
  if (!compare.is("stablehlo.compare") || !is_strict(compare)) return false;
  const Value a = compare.operand(0), b = compare.operand(1);
  return region.is_argument(a) && region.is_argument(b) && a.index + b.index == 1;
}

bool has_key_order(const Node& sort) {
  const Graph& region = sort.region(0);
  const Node* const compare = region.results.at(0).node;
  if (compare == nullptr || !compare->is("stablehlo.compare") || !is_strict(*compare)) return false;
  std::optional<int> side;
  return mirrors(region, compare->operand(0), compare->operand(1), side) && side.has_value();
}

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
