// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Folds constants, merges equal nodes, applies algebra that never changes results (float rules keep
// NaN and the sign of zero), moves invariant work out of loops and out of maps.  Sweeps the whole
// function, operands before users, until nothing changes.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "ir/interpreter/constants.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/effects.hpp"
#include "partita/passes/pass.hpp"
#include "passes/transforms/simplify/hoisting.hpp"
#include "passes/transforms/simplify/rewriter.hpp"
#include "passes/transforms/simplify/structural.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// More sweeps than any program needs; reaching it would mean that two rules undo each other.
constexpr int max_sweeps = 100;

const RuleTable& rules() {
  static const RuleTable table = [] {
    RuleTable t;
    add_elementwise_rules(t);
    add_shape_rules(t);
    add_region_rules(t);
    add_placement_rules(t);
    return t;
  }();
  return table;
}

/// One pass over a function.
class Sweep {
 public:
  Sweep(const ir::Module& module, const Graph& root)
      : module_(module), ranges_(module), uses_(ir::count_uses(root)) {
    ir::walk(root, [&](const Node& node) { has_inner_graphs_ |= node.op().regions_capture; });
  }

  /// True when something changed.
  bool run(Graph& root) {
    graph(root, nullptr);
    erase_replaced(root);
    return changed_;
  }

 private:
  /// Nodes seen so far in a graph, to find equal ones; `outer` is what the graph may capture from.
  struct Scope {
    std::unordered_multimap<std::size_t, Node*> seen;
    const Scope* outer = nullptr;
  };

  void graph(Graph& g, const Scope* outer) {
    Scope scope{.seen = {}, .outer = outer};
    const std::vector<Node*> nodes = g.nodes();
    for (Node* node : nodes) visit(*node, scope);
    for (Value& v : g.results) v = resolve(v);
  }

  /// What stands for nodes with effects in their regions has these: dead or not, they go.
  void erase_replaced(Graph& g) const {
    if (gone_.empty()) return;
    g.erase_if([&](const Node& node) { return gone_.contains(&node); });
    for (Node* node : g.nodes())
      for (const auto& region : node->regions()) erase_replaced(*region);
  }

  Value resolve(Value v) const {
    for (auto it = replaced_.find(v); it != replaced_.end(); it = replaced_.find(v)) v = it->second;
    return v;
  }

  void visit(Node& node, Scope& scope) {
    for (std::size_t k = 0; k < node.operands().size(); ++k)
      node.set_operand(k, resolve(node.operand(k)));
    for (const auto& region : node.regions())
      graph(*region, node.op().regions_capture ? &scope : nullptr);
    Rewriter rewriter(node, module_, ranges_, uses_);
    Replacement values = rewritten(node, rewriter);
    if (!values.empty()) {
      for (Node* made : rewriter.created()) visit(*made, scope);
      replace(node, values);
      return;
    }
    merge_with_equal(node, scope);
  }

  static Replacement fold(Node& node, Rewriter& rewriter) {
    Replacement values;
    for (const ir::DenseRef& c : evaluate(node, rewriter.module()))
      values.push_back(rewriter.constant(c));
    return values;
  }

  static Replacement rewritten(Node& node, Rewriter& rewriter) {
    if (node.op().has_side_effect) return {};
    if (Replacement values = fold(node, rewriter); !values.empty()) return values;
    const auto it = rules().find(node.name());
    if (it == rules().end()) return {};
    for (const Rule rule : it->second)
      if (Replacement values = rule(node, rewriter); !values.empty()) return values;
    return {};
  }

  void replace(Node& node, const Replacement& values) {
    PARTITA_ASSERT(int(values.size()) == node.result_count());
    for (int k = 0; k < node.result_count(); ++k) {
      const Value v = resolve(values[std::size_t(k)]);
      if (v.type() != node.result_types()[std::size_t(k)])
        throw_internal_error(cat("simplify: ", node.name(), ": a result of type ",
                                 to_string(node.result_types()[std::size_t(k)]),
                                 " replaced by one of type ", to_string(v.type())));
      replaced_[node.result(k)] = v;
    }
    if (ir::has_effects(node)) gone_.insert(&node);
    changed_ = true;
  }

  void merge_with_equal(Node& node, Scope& scope) {
    if (ir::has_effects(node) || node.result_count() == 0) return;
    for (const Type& t : node.result_types())
      if (t.is_token) return;
    const std::size_t hash = structural_hash(node, has_inner_graphs_);
    // What costs nothing is not worth a value that lives from outside of a loop.
    const bool looks_outside = !is_free(node), is_kept = looks_outside && is_worth_keeping(node);
    for (const Scope* s = &scope; s != nullptr; s = looks_outside ? s->outer : nullptr) {
      const auto [begin, end] = s->seen.equal_range(hash);
      for (auto it = begin; it != end; ++it) {
        if (!structurally_equal(*it->second, node, is_kept && s != &scope)) continue;
        Replacement values;
        for (int k = 0; k < node.result_count(); ++k) values.push_back(it->second->result(k));
        replace(node, values);
        return;
      }
    }
    scope.seen.emplace(hash, &node);
  }

  const ir::Module& module_;
  ValueRanges ranges_;
  const ir::ValueMap<int> uses_;
  ir::ValueMap<Value> replaced_;
  std::unordered_set<const Node*> gone_;
  bool has_inner_graphs_ = false;  // in which nodes may be what is made outside
  bool changed_ = false;
};

void run(ir::Module& module, PassContext&) {
  for (const auto& f : module.functions) {
    ir::remove_dead_nodes(*f->body);
    for (int sweep = 0;; ++sweep) {
      if (sweep == max_sweeps)
        throw_internal_error(
            cat("simplify: @", f->name, " still changes after ", max_sweeps, " sweeps"));
      bool changed = Sweep(module, *f->body).run(*f->body);
      ir::remove_dead_nodes(*f->body);
      changed |= hoist_invariants(*f->body);
      if (!changed) break;
    }
  }
}

}  // namespace

PassInfo pass_simplify();
PassInfo pass_simplify() {
  return {.name = "simplify",
          .doc =
              "Folds constants, merges equal nodes, applies exact algebra, moves invariant work "
              "out of loops and maps.",
          .needs = Stage::inlined,
          .gives = Stage::inlined,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
