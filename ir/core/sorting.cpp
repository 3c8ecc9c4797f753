// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/sorting.hpp"

#include <functional>
#include <optional>

#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// Whether two values of a region are made by the same ops, of arguments that go together.
bool is_alike(const Graph& region, Value a, Value b, const std::function<bool(int, int)>& goes) {
  if (region.is_argument(a) || region.is_argument(b))
    return region.is_argument(a) && region.is_argument(b) && goes(a.index, b.index);
  if (a.index != b.index) return false;
  const Node &x = *a.node, &y = *b.node;
  if (x.name() != y.name() || x.attrs != y.attrs || !x.regions().empty() ||
      x.operands().size() != y.operands().size() || a.type() != b.type())
    return false;
  for (std::size_t k = 0; k < x.operands().size(); ++k)
    if (!is_alike(region, x.operand(k), y.operand(k), goes)) return false;
  return true;
}

bool is_same(const Graph& region, Value a, Value b) {
  return is_alike(region, a, b, [](int i, int j) { return i == j; });
}

/// Whether `b` is `a` of the sides exchanged.
bool is_exchanged(const Graph& region, Value a, Value b) {
  return is_alike(region, a, b, [](int i, int j) { return (i ^ 1) == j; });
}

/// Whether `b` is made of the elements of one side as `a` is of those of the other.
bool mirrors(const Graph& region, Value a, Value b) {
  std::optional<int> side;
  return is_alike(region, a, b,
                  [&](int i, int j) {
                    if (!side) side = i & 1;
                    return (i ^ 1) == j && *side == (i & 1);
                  }) &&
         side.has_value();
}

bool compares_keys(const Graph& region, Value v) {
  if (region.is_argument(v) || !v.node->is("stablehlo.compare") || !is_strict_comparison(*v.node))
    return false;
  return mirrors(region, v.node->operand(0), v.node->operand(1));
}

/// Whether `v` compares the keys that `key` compares, in the direction named, in either order.
bool compares_same(const Graph& region, Value v, const Node& key, std::string_view direction) {
  if (region.is_argument(v) || !v.node->is("stablehlo.compare")) return false;
  const Node& node = *v.node;
  if (node.attrs.text("comparison_direction") != direction ||
      (is_float(node.operand(0).type().dtype) &&
       node.attrs.text("compare_type", "") != key.attrs.text("compare_type", "")))
    return false;
  const Value a = node.operand(0), b = node.operand(1), c = key.operand(0), d = key.operand(1);
  return (is_same(region, a, c) && is_same(region, b, d)) ||
         (is_same(region, a, d) && is_same(region, b, c));
}

/// Whether `v` holds where the second element is not less than the first, by the comparator `less`.
bool excludes_greater(const Graph& region, Value v, Value less) {
  if (region.is_argument(v) || region.is_argument(less)) return false;
  if (v.node->is("stablehlo.not")) return is_exchanged(region, less, v.node->operand(0));
  if (!compares_keys(region, less)) return false;
  const bool is_less = less.node->attrs.text("comparison_direction") == "LT";
  const auto compares = [&](std::string_view direction, std::size_t first) {
    return compares_same(region, v, *less.node, direction) &&
           is_same(region, v.node->operand(0), less.node->operand(first));
  };
  return compares(is_less ? "LE" : "GE", 0) || compares(is_less ? "GE" : "LE", 1);
}

/// One key, or a key that others follow where it is equal.
bool orders(const Graph& region, Value v) {
  if (compares_keys(region, v)) return true;
  if (region.is_argument(v)) return false;
  const Node& node = *v.node;
  const auto follows = [&](Value key, Value equal, Value rest, std::string_view direction) {
    return compares_keys(region, key) && compares_same(region, equal, *key.node, direction) &&
           orders(region, rest);
  };
  if (node.is("stablehlo.select"))
    return follows(node.operand(2), node.operand(0), node.operand(1), "EQ") ||
           follows(node.operand(1), node.operand(0), node.operand(2), "NE");
  if (!node.is("stablehlo.or")) return false;
  for (const std::size_t k : {0U, 1U}) {
    const Value less = node.operand(k), both = node.operand(1 - k);
    if (region.is_argument(both) || !both.node->is("stablehlo.and")) continue;
    for (const std::size_t e : {0U, 1U}) {
      const Value equal = both.node->operand(e), rest = both.node->operand(1 - e);
      if (follows(less, equal, rest, "EQ") ||
          (excludes_greater(region, equal, less) && orders(region, less) && orders(region, rest)))
        return true;
    }
  }
  return false;
}

}  // namespace

int sort_dimension(const Node& sort) {
  const std::int64_t d = sort.attrs.i64("dimension", -1);
  return int(d < 0 ? d + sort.operand(0).type().rank() : d);
}

bool is_strict_comparison(const Node& compare) {
  const std::string_view direction = compare.attrs.text("comparison_direction");
  if (direction != "GT" && direction != "LT") return false;
  const DType d = compare.operand(0).type().dtype;
  return is_integer(d) || d == DType::i1 ||
         (is_float(d) && compare.attrs.text("compare_type", "") == "TOTALORDER");
}

bool is_weak_order(const Graph& comparator) {
  return comparator.results.size() == 1 && orders(comparator, comparator.results[0]);
}

bool is_first_operand_order(const Graph& comparator) {
  const Value result = comparator.results.at(0);
  if (comparator.is_argument(result) || !result.node->is("stablehlo.compare") ||
      !is_strict_comparison(*result.node))
    return false;
  const Value a = result.node->operand(0), b = result.node->operand(1);
  return comparator.is_argument(a) && comparator.is_argument(b) && a.index + b.index == 1;
}

}  // namespace partita::ir
