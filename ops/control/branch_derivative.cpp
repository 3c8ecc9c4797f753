// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of stablehlo.case and stablehlo.if.  Forward mode gives each branch its tangents.
// Reverse mode makes two nodes: one that also returns what the chosen branch's reverse needs, in
// slots that branches share by type (the others return zeros), and one of the reverses.
#include <algorithm>

#include "ops/control/control_derivatives.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

std::string step_name(const Node& node, std::size_t branch) {
  return cat(node.is("stablehlo.if") ? "if" : "case", " branch ", branch);
}

Values first_results(Node& node, std::size_t count) {
  Values results;
  for (std::size_t k = 0; k < count; ++k) results.push_back(node.result(int(k)));
  return results;
}

Values jvp(DerivativeContext& c, const Values&) {
  const std::size_t count = c.node.result_types().size(), branches = c.node.regions().size();
  std::vector<std::unique_ptr<Graph>> regions;
  std::vector<ForwardRegion> forward;
  std::vector<bool> has(count, false);
  for (std::size_t b = 0; b < branches; ++b) {
    regions.push_back(std::make_unique<Graph>());
    ValueMap<Value> map;
    forward.push_back(
        forward_region(c, step_name(c.node, b), c.node.region(b), *regions.back(), map, {}));
    for (std::size_t k = 0; k < count; ++k) has[k] = has[k] || forward[b].tangents[k];
  }
  for (std::size_t b = 0; b < branches; ++b) {
    Graph& region = *regions[b];
    const DerivativeContext inside(c.node, region, c.sweep, c.path);
    region.results = forward[b].results;
    for (std::size_t k = 0; k < count; ++k)
      if (has[k])
        region.results.push_back(inside.or_zeros(forward[b].tangents[k], c.node.result_types()[k]));
  }
  Node* made = create(c.graph, c.node.name(), c.node.operands(), c.node.attrs, std::move(regions),
                      {}, nullptr, c.node.location());
  c.sweep.replace(c.node, first_results(*made, count));
  Values results(count);
  int at = int(count);
  for (std::size_t k = 0; k < count; ++k)
    if (has[k]) results[k] = made->result(at++);
  return results;
}

/// One branch with its reverse, split.
struct Branch {
  SplitRegion split;
  Values found;                    ///< absent: no cotangent from this branch
  std::vector<std::size_t> slots;  ///< of residuals
};

class BranchReverse {
 public:
  DerivativeContext& c;

  BranchReverse(DerivativeContext& context, const Values& cotangents)
      : c(context), cotangents_(cotangents), count_(cotangents.size()) {}

  void run() {
    for (const auto& region : c.node.regions())
      for (const Value& v : outer_values(*region))
        if (c.sweep.is_active(v) && std::ranges::find(inputs_, v) == inputs_.end())
          inputs_.push_back(v);
    find_live_inputs();
    if (inputs_.empty()) return;
    for (std::size_t b = 0; b < c.node.regions().size(); ++b) reverse(b);
    Node* forward = make_forward();
    make_backward(*forward);
  }

 private:
  struct Reversed {
    std::unique_ptr<Graph> graph;
    Values found;
  };

  /// The branch with arguments for the cotangents that there are, and its reverse.
  Reversed reversed(std::size_t b) const {
    Reversed out{clone_graph(c.node.region(b)), {}};
    Values outputs, seeds;
    for (std::size_t k = 0; k < count_; ++k) {
      if (!cotangents_[k]) continue;
      outputs.push_back(out.graph->results[k]);
      seeds.push_back(out.graph->add_argument(cotangents_[k].type()));
    }
    out.found = reverse_region(c, step_name(c.node, b), *out.graph, outputs, seeds, inputs_);
    return out;
  }

  /// Leaves out inputs that no branch has a cotangent for.
  void find_live_inputs() {
    std::vector<bool> is_live(inputs_.size(), false);
    for (std::size_t b = 0; b < c.node.regions().size(); ++b) {
      reversed_.push_back(reversed(b));
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        is_live[i] = is_live[i] || reversed_[b].found[i];
    }
    Values live;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (is_live[i]) live.push_back(inputs_[i]);
    for (Reversed& r : reversed_) {
      Values found;
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (is_live[i]) found.push_back(r.found[i]);
      r.found = found;
    }
    inputs_ = live;
  }

  void reverse(std::size_t b) {
    Graph& graph = *reversed_[b].graph;
    const DerivativeContext inside(c.node, graph, c.sweep, c.path);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      graph.results.push_back(inside.or_zeros(reversed_[b].found[i], inputs_[i].type()));
    remove_dead_nodes(graph);
    Branch branch{split_region(graph, count_, 0), reversed_[b].found, {}};
    // A residual takes the first slot of its type that the branch has not taken yet.
    std::vector<bool> taken(slots_.size(), false);
    for (std::size_t r = count_; r < branch.split.forward->results.size(); ++r) {
      const Type& type = branch.split.forward->results[r].type();
      std::size_t slot = 0;
      while (slot < slots_.size() && (taken[slot] || slots_[slot] != type)) ++slot;
      if (slot == slots_.size()) {
        slots_.push_back(type);
        taken.push_back(false);
      }
      taken[slot] = true;
      branch.slots.push_back(slot);
    }
    branches_.push_back(std::move(branch));
  }

  Node* make_forward() {
    if (slots_.empty()) return &c.node;
    std::vector<std::unique_ptr<Graph>> regions;
    for (Branch& branch : branches_) {
      Graph& region = *branch.split.forward;
      const Values own(region.results.begin() + std::ptrdiff_t(count_), region.results.end());
      region.results.resize(count_);
      Values kept(slots_.size());
      for (std::size_t r = 0; r < own.size(); ++r) kept[branch.slots[r]] = own[r];
      const DerivativeContext inside(c.node, region, c.sweep, c.path);
      for (std::size_t s = 0; s < slots_.size(); ++s)
        region.results.push_back(inside.or_zeros(kept[s], slots_[s]));
      regions.push_back(std::move(branch.split.forward));
    }
    Node* made = create(c.graph, c.node.name(), c.node.operands(), c.node.attrs, std::move(regions),
                        {}, &c.node, c.node.location());
    mark_residuals(*made, count_, slots_.size());
    c.sweep.replace(c.node, first_results(*made, count_));
    return made;
  }

  void make_backward(Node& forward) {
    std::vector<std::unique_ptr<Graph>> regions;
    for (const Branch& branch : branches_) {
      const Graph& backward = *branch.split.backward;
      auto region = std::make_unique<Graph>();
      ValueMap<Value> map;
      int at = 0;
      for (const std::size_t slot : branch.slots)
        map[backward.argument(at++)] = forward.result(int(count_ + slot));
      for (const Value& cotangent : cotangents_)
        if (cotangent) map[backward.argument(at++)] = cotangent;
      region->results = clone_body(backward, *region, map);
      regions.push_back(std::move(region));
    }
    Node* made = create(c.graph, c.node.name(), c.node.operands(), c.node.attrs, std::move(regions),
                        {}, nullptr, c.node.location());
    made->attrs.erase("mr.residuals");  // the branches' own, of an earlier derivative
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      c.sweep.accumulate(inputs_[i], made->result(int(i)));
  }

  const Values& cotangents_;
  const std::size_t count_;
  Values inputs_;  ///< captured values whose cotangents are asked for
  std::vector<Reversed> reversed_;
  std::vector<Branch> branches_;
  std::vector<Type> slots_;
};

Values vjp(DerivativeContext& c, const Values& cotangents) {
  BranchReverse(c, cotangents).run();
  return {};
}

}  // namespace

Values outer_values(const Graph& region) {
  Values found;
  const auto add = [&](const Value& v) {
    if (v.node->graph() != &region && !region.is_argument(v) &&
        std::ranges::find(found, v) == found.end())
      found.push_back(v);
  };
  for (const Node* node : region.nodes())
    for (const Value& v : captures(*node)) add(v);
  for (const Value& v : region.results) add(v);
  return found;
}

Derivative branch_derivative() { return Derivative::rules(jvp, vjp); }

}  // namespace partita::ir
