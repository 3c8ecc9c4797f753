// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Forward and reverse sweeps over a graph: each node's rule in order, or in reverse order for the
// nodes that lie between what is differentiated and what has a cotangent.
#include <algorithm>
#include <unordered_set>

#include "partita/base/error.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

bool any_of(const Values& values) {
  return std::ranges::any_of(values, [](const Value& v) { return bool(v); });
}

std::vector<std::string> with_step(const std::vector<std::string>& path, const std::string& step) {
  std::vector<std::string> longer = path;
  if (!step.empty()) longer.push_back(step);
  return longer;
}

void expect_derivative(const DerivativeContext& c) {
  if (!c.node.op().derivative.exists()) c.refuse(c.node.op().derivative.reason);
}

// --- Forward ------------------------------------------------------------------------------------

/// What a vjp sees while its transpose is made: the operands with tangents are asked for.
class TransposeSweep : public Sweep {
 public:
  explicit TransposeSweep(const Node& node, const Values& tangents) {
    for (std::size_t k = 0; k < tangents.size(); ++k)
      if (tangents[k]) asked_.insert(node.operand(k));
  }
  Value tangent(Value) const override { throw_internal_error("tangents in reverse mode"); }
  bool is_active(Value v) const override { return asked_.contains(v); }
  void accumulate(Value, Value) override {
    throw_internal_error("a rule of an op with captures needs a jvp");
  }
  void replace(Node&, std::span<const Value>) override {
    throw_internal_error("a rule that replaces its node needs a jvp");
  }

 private:
  std::unordered_set<Value, ValueHash> asked_;
};

Values linear_jvp(const DerivativeContext& c, const Values& tangents) {
  const Derivative& d = c.node.op().derivative;
  const auto is_listed = [&](std::size_t k) {
    return d.operands.empty() || std::ranges::find(d.operands, int(k)) != d.operands.end();
  };
  for (std::size_t k = 0; k < tangents.size(); ++k)
    if (tangents[k] && !is_listed(k)) c.refuse(cat("none with respect to operand ", k));
  if (d.linear == Derivative::Linear::jointly) {
    Values operands = c.node.operands();
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (is_listed(k) && has_tangent(operands[k].type()))
        operands[k] = c.or_zeros(tangents[k], operands[k].type());
    return c.same(operands);
  }
  Values sums(std::size_t(c.node.result_count()));
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    if (!tangents[k]) continue;
    Values operands = c.node.operands();
    operands[k] = tangents[k];
    const Values terms = c.same(operands);
    for (std::size_t r = 0; r < sums.size(); ++r) sums[r] = c.add(sums[r], terms[r]);
  }
  return sums;
}

class ForwardSweep : public Sweep {
 public:
  ForwardSweep(const Sweep* around, std::vector<std::string> path, const Graph& from, Graph& into,
               ValueMap<Value>& map, const ValueMap<Value>& tangents)
      : around_(around),
        path_(std::move(path)),
        from_(from),
        into_(into),
        map_(map),
        tangents_(tangents) {}

  ForwardRegion run() {
    for (const Node* node : from_.nodes()) visit(*node);
    ForwardRegion out;
    for (const Value& v : from_.results) {
      const auto mapped = map_.find(v);
      out.results.push_back(mapped == map_.end() ? v : mapped->second);
      out.tangents.push_back(tangent(out.results.back()));
    }
    return out;
  }

  Value tangent(Value v) const override {
    const auto found = tangents_.find(v);
    if (found != tangents_.end()) return found->second;
    return around_ != nullptr && v.node->graph() != &into_ ? around_->tangent(v) : Value{};
  }
  bool is_active(Value v) const override { return bool(tangent(v)); }
  void accumulate(Value, Value) override { throw_internal_error("cotangents in forward mode"); }
  void replace(Node& node, std::span<const Value> results) override {
    for (std::size_t k = 0; k < results.size(); ++k) replaced_[node.result(int(k))] = results[k];
  }

 private:
  void visit(const Node& node) {
    Node& copy = *clone_node(node, into_, map_);
    const std::vector<bool> active =
        active_results(copy, [&](Value v) { return bool(tangent(v)); });
    if (std::ranges::find(active, true) == active.end()) return;
    DerivativeContext context(copy, into_, *this, path_);
    expect_derivative(context);
    Values of_operands;
    for (const Value& v : copy.operands()) of_operands.push_back(tangent(v));
    const Derivative& d = copy.op().derivative;
    const Values results = d.jvp ? d.jvp(context, of_operands)
                           : d.linear != Derivative::Linear::none
                               ? linear_jvp(context, of_operands)
                               : transposed_jvp(context, of_operands);
    for (int k = 0; k < copy.result_count(); ++k) {
      const auto replaced = replaced_.find(copy.result(k));
      const Value primal = replaced == replaced_.end() ? copy.result(k) : replaced->second;
      map_[Value{const_cast<Node*>(&node), k}] = primal;
      if (std::size_t(k) < results.size() && results[std::size_t(k)] && active[std::size_t(k)])
        tangents_[primal] = results[std::size_t(k)];
    }
  }

  const Sweep* around_;
  std::vector<std::string> path_;
  const Graph& from_;
  Graph& into_;
  ValueMap<Value>& map_;
  ValueMap<Value> tangents_, replaced_;
};

// --- Reverse ------------------------------------------------------------------------------------

class ReverseSweep : public Sweep {
 public:
  ReverseSweep(std::vector<std::string> path, Graph& graph)
      : path_(std::move(path)), graph_(graph) {}

  Values run(std::span<const Value> outputs, std::span<const Value> cotangents,
             std::span<const Value> wrt, std::size_t first) {
    const std::vector<Node*> nodes(graph_.nodes().begin() + std::ptrdiff_t(first),
                                   graph_.nodes().end());
    active_.insert(wrt.begin(), wrt.end());
    for (Node* node : nodes) mark(*node);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (cotangents[k] && is_active(outputs[k])) accumulate(outputs[k], cotangents[k]);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) visit(**node);
    Values results;
    for (const Value& v : wrt) results.push_back(cotangent(v));
    return results;
  }

  Value tangent(Value) const override { throw_internal_error("tangents in reverse mode"); }
  bool is_active(Value v) const override { return active_.contains(v); }
  void accumulate(Value v, Value cotangent) override {
    if (!is_active(v)) return;
    if (cotangent.type() != v.type())
      throw_internal_error(cat("a cotangent of type ", to_string(cotangent.type()),
                               " for a value of ", v.node->name(), " of type ",
                               to_string(v.type())));
    Value& sum = cotangents_[v];
    sum = DerivativeContext(*v.node, graph_, *this, path_).add(sum, cotangent);
  }
  void replace(Node& node, std::span<const Value> results) override {
    ValueMap<Value> map;
    for (std::size_t k = 0; k < results.size(); ++k) map[node.result(int(k))] = results[k];
    graph_.replace_uses(map);
  }

 private:
  void mark(Node& node) {
    const std::vector<bool> active = active_results(node, [&](Value v) { return is_active(v); });
    for (std::size_t k = 0; k < active.size(); ++k)
      if (active[k]) active_.insert(node.result(int(k)));
  }

  Value cotangent(Value v) const {
    const auto found = cotangents_.find(v);
    return found == cotangents_.end() ? Value{} : found->second;
  }

  void visit(Node& node) {
    Values of_results;
    for (int k = 0; k < node.result_count(); ++k) of_results.push_back(cotangent(node.result(k)));
    if (!any_of(of_results)) return;
    DerivativeContext context(node, graph_, *this, path_);
    expect_derivative(context);
    const Values of_operands = node.op().derivative.vjp(context, of_results);
    for (std::size_t k = 0; k < of_operands.size(); ++k)
      if (of_operands[k]) accumulate(node.operand(k), of_operands[k]);
  }

  std::vector<std::string> path_;
  Graph& graph_;
  std::unordered_set<Value, ValueHash> active_;
  ValueMap<Value> cotangents_;
};

}  // namespace

ForwardRegion forward_region(const DerivativeContext& around, const std::string& step,
                             const Graph& from, Graph& into, ValueMap<Value>& map,
                             const ValueMap<Value>& tangents) {
  return ForwardSweep(&around.sweep, with_step(around.path, step), from, into, map, tangents).run();
}

// J·t as the transpose of g ↦ gᵀJ.
Values transposed_jvp(const DerivativeContext& c, const Values& tangents) {
  Values seeds;
  for (const Type& type : c.node.result_types())
    seeds.push_back(has_tangent(type) ? c.zeros(type) : Value{});
  const std::size_t first = c.graph.nodes().size();
  TransposeSweep asked(c.node, tangents);
  DerivativeContext reverse(c.node, c.graph, asked, c.path);
  const Values cotangents = c.node.op().derivative.vjp(reverse, seeds);
  Values outputs, outer, wrt;
  for (std::size_t k = 0; k < cotangents.size() && k < tangents.size(); ++k) {
    if (!cotangents[k] || !tangents[k]) continue;
    outputs.push_back(cotangents[k]);
    outer.push_back(tangents[k]);
  }
  for (const Value& seed : seeds)
    if (seed) wrt.push_back(seed);
  const Values found = reverse_region(c, "", c.graph, outputs, outer, wrt, first);
  Values results;
  std::size_t at = 0;
  for (const Value& seed : seeds) results.push_back(seed ? found[at++] : Value{});
  return results;
}

Values reverse_region(const DerivativeContext& around, const std::string& step, Graph& graph,
                      std::span<const Value> outputs, std::span<const Value> cotangents,
                      std::span<const Value> wrt, std::size_t first) {
  return ReverseSweep(with_step(around.path, step), graph).run(outputs, cotangents, wrt, first);
}

}  // namespace partita::ir
