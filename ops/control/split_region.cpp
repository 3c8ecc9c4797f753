// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Splits a region with its reverse into forward and backward graphs, and decides what is kept for
// the backward one (residuals) and what is computed again there.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ops/control/control_derivatives.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {
namespace {

using ValueSet = std::unordered_set<Value, ValueHash>;

class Split {
 public:
  Split(const Graph& graph, std::size_t primal_results, int first_seed,
        const std::vector<bool>& is_free)
      : graph_(graph), primal_(primal_results), first_seed_(first_seed), is_free_(is_free) {
    for (std::size_t k = 0; k < graph.nodes().size(); ++k) position_[graph.nodes()[k]] = int(k);
  }

  SplitRegion run() {
    find_dependent();
    find_residuals();
    SplitRegion out;
    build_forward(out);
    build_backward(out);
    return out;
  }

 private:
  [[nodiscard]] bool is_local(Value v) const { return v.node->graph() == &graph_; }

  /// What depends on cotangents.
  void find_dependent() {
    for (int k = first_seed_; k < graph_.argument_count(); ++k)
      dependent_.insert(graph_.argument(k));
    for (Node* node : graph_.nodes()) {
      const Values needs = captures(*node);
      if (!std::ranges::any_of(needs, [&](const Value& v) { return dependent_.contains(v); }))
        continue;
      for (int k = 0; k < node->result_count(); ++k) dependent_.insert(node->result(k));
      backward_nodes_.insert(node);
    }
  }

  /// Position of the node that makes a value; arguments come first.
  [[nodiscard]] std::pair<int, int> order(Value v) const {
    const auto at = position_.find(v.node);
    return {at == position_.end() ? -1 : at->second, v.index};
  }

  void need(Value v) {
    if (is_local(v) && !dependent_.contains(v)) residuals_[order(v)] = v;
  }

  static std::int64_t bytes(Value v) {
    return v.type().count() * std::int64_t(byte_size(v.type().dtype));
  }

  /// Ops that read little and compute little.
  static bool is_cheap(const Node& node) {
    return node.regions().empty() && !node.op().has_side_effect && node.result_count() == 1 &&
           (node.op().shape == KernelShape::loops || node.is("mr.partition_index"));
  }

  /// Whether a residual takes no bytes: values from outside, constants, and arguments that are kept
  /// anyway.
  [[nodiscard]] bool is_free(Value v) const {
    if (!graph_.is_argument(v))
      return !is_local(v) || (v.node->operands().empty() && is_cheap(*v.node));
    return is_free_.empty() ||
           (std::size_t(v.index) < is_free_.size() && is_free_[std::size_t(v.index)]);
  }

  /// Whether a function is computed by approximation, which takes longer than reading its value.
  static bool is_transcendental(const Node& node) {
    return node.op().row != nullptr && node.op().row->ulp > 0;
  }

  /// Whether computing the value again needs fewer bytes than keeping it, or as many and little else.
  [[nodiscard]] bool is_recomputed(Value v) const {
    if (graph_.is_argument(v) || !is_cheap(*v.node)) return false;
    std::int64_t more = 0;
    for (const Value& x : v.node->operands())
      if (!is_free(x) && !residuals_.contains(order(x))) more += bytes(x);
    return more < bytes(v) || (more == bytes(v) && !is_transcendental(*v.node));
  }

  void find_residuals() {
    for (std::size_t k = primal_; k < graph_.results.size(); ++k) need(graph_.results[k]);
    for (Node* node : graph_.nodes())
      if (backward_nodes_.contains(node))
        for (const Value& v : captures(*node)) need(v);
    // From the last to the first, as what one of them needs comes before it.
    for (auto at = residuals_.end(); at != residuals_.begin();) {
      --at;
      const Value v = at->second;
      if (!is_recomputed(v)) continue;
      backward_nodes_.insert(v.node);
      const auto key = at->first;
      for (const Value& x : v.node->operands()) need(x);
      at = residuals_.erase(residuals_.find(key));
    }
  }

  void build_forward(SplitRegion& out) const {
    out.forward = std::make_unique<Graph>();
    ValueMap<Value> map;
    for (int k = 0; k < first_seed_; ++k)
      map[graph_.argument(k)] =
          out.forward->add_argument(graph_.argument(k).type(), graph_.argument_hint(k));
    const auto mapped = [&](Value v) {
      const auto found = map.find(v);
      return found == map.end() ? v : found->second;
    };
    for (const Node* node : graph_.nodes())
      if (node->result_count() == 0 || !dependent_.contains(Value{const_cast<Node*>(node), 0}))
        clone_node(*node, *out.forward, map);
    for (std::size_t k = 0; k < primal_; ++k)
      out.forward->results.push_back(mapped(graph_.results[k]));
    for (const auto& [key, v] : residuals_)
      if (!graph_.is_argument(v)) out.forward->results.push_back(mapped(v));
    remove_dead_nodes(*out.forward);
  }

  void build_backward(SplitRegion& out) const {
    out.backward = std::make_unique<Graph>();
    ValueMap<Value> map;
    for (const auto& [key, v] : residuals_) {
      map[v] = out.backward->add_argument(v.type());
      out.residuals.push_back(graph_.is_argument(v) ? v.index : -1);
    }
    for (int k = first_seed_; k < graph_.argument_count(); ++k)
      map[graph_.argument(k)] = out.backward->add_argument(graph_.argument(k).type());
    for (const Node* node : graph_.nodes())
      if (backward_nodes_.contains(node)) clone_node(*node, *out.backward, map);
    for (std::size_t k = primal_; k < graph_.results.size(); ++k) {
      const auto found = map.find(graph_.results[k]);
      out.backward->results.push_back(found == map.end() ? graph_.results[k] : found->second);
    }
    remove_dead_nodes(*out.backward);
  }

  const Graph& graph_;
  std::size_t primal_;
  int first_seed_;
  const std::vector<bool>& is_free_;
  std::unordered_map<const Node*, int> position_;
  ValueSet dependent_;
  std::unordered_set<const Node*> backward_nodes_;
  std::map<std::pair<int, int>, Value> residuals_;
};

}  // namespace

SplitRegion split_region(const Graph& graph, std::size_t primal_results, int first_seed,
                         const std::vector<bool>& is_free) {
  return Split(graph, primal_results, first_seed, is_free).run();
}

SplitRegion split_region(const Graph& graph, std::size_t primal_results, int first_seed) {
  return split_region(graph, primal_results, first_seed, {});
}

}  // namespace partita::ir
