// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/masked_loops.hpp"

#include <map>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// Compares values of two graphs that are computed from like arguments.
class SameValue {
 public:
  SameValue(const Graph& a, const Graph& b) : a_(a), b_(b) {}

  bool operator()(Value a, Value b) {
    if (a_.is_argument(a) || b_.is_argument(b))
      return a_.is_argument(a) && b_.is_argument(b) && a.index == b.index;
    const bool is_inside = a.node->graph() == &a_;
    if (!is_inside || b.node->graph() != &b_) return a == b;
    if (a.index != b.index) return false;
    const auto [at, is_new] = known_.try_emplace({a.node, b.node}, false);
    if (!is_new) return at->second;
    return known_[{a.node, b.node}] = same(*a.node, *b.node);
  }

 private:
  bool same(const Node& a, const Node& b) {
    if (&a.op() != &b.op() || a.attrs != b.attrs || a.result_types() != b.result_types() ||
        a.operands().size() != b.operands().size() || a.regions().size() != b.regions().size())
      return false;
    for (std::size_t k = 0; k < a.operands().size(); ++k)
      if (!(*this)(a.operand(k), b.operand(k))) return false;
    for (std::size_t k = 0; k < a.regions().size(); ++k)
      if (a.op().regions_capture || !same_regions(a.region(k), b.region(k))) return false;
    return true;
  }

  static bool same_regions(const Graph& a, const Graph& b) {
    SameValue inside(a, b);
    if (a.results.size() != b.results.size() || a.argument_count() != b.argument_count())
      return false;
    for (std::size_t k = 0; k < a.results.size(); ++k)
      if (!inside(a.results[k], b.results[k])) return false;
    return true;
  }

  const Graph &a_, &b_;
  std::map<std::pair<const Node*, const Node*>, bool> known_;
};

}  // namespace

std::string why_not_masked(const Node& loop, Value predicate) {
  const Graph& body = loop.region(1);
  SameValue same(loop.region(0), body);
  for (std::size_t k = 0; k < body.results.size(); ++k) {
    const Value result = body.results[k], before = body.argument(int(k));
    if (result == before) continue;
    if (!result.node->is("stablehlo.select") || result.node->operand(2) != before)
      return cat("value ", k, " that it carries changes where its condition fails");
    Value by = result.node->operand(0);
    while (!same(predicate, by) && by.node->is("stablehlo.broadcast_in_dim"))
      by = by.node->operand(0);
    if (!same(predicate, by))
      return cat("value ", k, " that it carries is selected by another value than its condition");
  }
  return {};
}

}  // namespace partita::ir
