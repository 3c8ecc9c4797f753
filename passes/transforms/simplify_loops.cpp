// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops carry only what changes: carries that the body passes on unchanged become captures, carries
// that nothing outside of their own update reads disappear.
#include <algorithm>
#include <set>

#include "partita/ir/effects.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// Carries that matter: used after the loop, in the condition, or by the update of one that matters.
std::vector<bool> needed_carries(const Node& loop, const ir::ValueMap<int>& uses) {
  const Graph& body = loop.region(1);
  const std::size_t n = loop.operands().size();
  std::vector<bool> needed(n, false);
  std::set<Value> visited;
  std::vector<Value> pending;
  const auto require = [&](std::size_t k) {
    if (needed[k]) return;
    needed[k] = true;
    pending.push_back(body.results[k]);
  };
  const auto condition_uses = ir::count_uses(loop.region(0));
  for (std::size_t k = 0; k < n; ++k) {
    const auto used = uses.find(Value{const_cast<Node*>(&loop), int(k)});
    if ((used != uses.end() && used->second > 0) ||
        condition_uses.contains(loop.region(0).argument(int(k))))
      require(k);
  }
  // Effects inside the body keep whatever they read, and what says whether and how often they come.
  ir::walk(body, [&](Node& node) {
    if (ir::has_effects(node))
      pending.insert(pending.end(), node.operands().begin(), node.operands().end());
  });
  while (!pending.empty()) {
    const Value v = pending.back();
    pending.pop_back();
    if (!visited.insert(v).second) continue;
    if (body.is_argument(v)) {
      require(std::size_t(v.index));
      continue;
    }
    for (const Value& x : v.node->operands()) pending.push_back(x);
    for (const Value& x : ir::captures(*v.node)) pending.push_back(x);
  }
  return needed;
}

/// One walk over a graph and those within it, inner loops first, as what they capture is what outer ones carry.
class Round {
 public:
  /// How often each value is used; what stops being used on the way is taken off.
  explicit Round(ir::ValueMap<int> uses) : uses_(std::move(uses)) {}

  /// Whether some loop was replaced.
  bool simplify(Graph& graph) {
    bool is_changed = false;
    ir::ValueMap<Value> replaced;
    std::vector<Node*> gone;
    const std::vector<Node*> nodes(graph.nodes().begin(), graph.nodes().end());
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
      for (const auto& region : (*it)->regions()) is_changed |= simplify(*region);
      if ((*it)->is("stablehlo.while") && simplify_loop(**it, replaced)) gone.push_back(*it);
    }
    if (gone.empty()) return is_changed;
    // A result may stand for that of an earlier loop, which has been replaced since.
    for (auto& [from, to] : replaced)
      for (auto next = replaced.find(to); next != replaced.end(); next = replaced.find(to))
        to = next->second;
    graph.replace_uses(replaced);
    for (Node* const node : gone) graph.erase(node);
    return true;
  }

 private:
  /// Whether there is one with fewer carries now; `replaced`: what the loop's results have become.
  bool simplify_loop(Node& loop, ir::ValueMap<Value>& replaced) {
    const Graph& body = loop.region(1);
    const std::size_t n = loop.operands().size();
    const std::vector<bool> needed = needed_carries(loop, uses_);
    std::vector<bool> keeps(n, true);
    for (std::size_t k = 0; k < n; ++k)
      keeps[k] = needed[k] && body.results[k] != body.argument(int(k));
    if (std::ranges::all_of(keeps, [](bool b) { return b; })) return false;
    std::vector<std::unique_ptr<Graph>> regions;
    std::vector<Value> operands;
    for (const auto& region : loop.regions()) {
      regions.push_back(ir::clone_graph(*region));
      Graph& g = *regions.back();
      for (std::size_t k = n; k-- > 0;) {
        if (keeps[k]) continue;
        // A carry that nothing needs stands still; what it fed is dead.
        g.replace_uses(g.argument(int(k)), loop.operand(k));
        if (regions.size() == 2) g.results.erase(g.results.begin() + std::ptrdiff_t(k));
        g.erase_argument(int(k));
      }
      ir::remove_dead_nodes(g);
    }
    for (std::size_t k = 0; k < n; ++k)
      if (keeps[k]) operands.push_back(loop.operand(k));
    Node* fresh = ir::create(*loop.graph(), loop.name(), operands, loop.attrs, std::move(regions),
                             {}, &loop, loop.location());
    int next = 0;
    for (std::size_t k = 0; k < n; ++k) {
      replaced[loop.result(int(k))] = keeps[k] ? fresh->result(next++) : loop.operand(k);
      if (const auto used = uses_.find(loop.operand(k)); !needed[k] && used != uses_.end())
        --used->second;
    }
    return true;
  }

  ir::ValueMap<int> uses_;
};

void run(ir::Module& module, PassContext&) {
  for (const auto& f : module.functions)
    while (Round(ir::count_uses(*f->body)).simplify(*f->body)) {
    }
}

}  // namespace

PassInfo pass_simplify_loops();
PassInfo pass_simplify_loops() {
  return {
      .name = "simplify-loops",
      .doc = "Turns loop carries that do not change into captures and drops those nothing needs.",
      .needs = Stage::inlined,
      .gives = Stage::inlined,
      .idempotent = true,
      .run = run};
}

}  // namespace partita::passes::transforms
