// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of stablehlo.while.  Forward mode carries tangents beside values.  Reverse mode needs
// the number of iterations n: the loop becomes one over t = 0 … n-1 that also stacks what its reverse
// reads, each kind in one array of n entries written in place, and a second loop runs the reverse of
// the body for t = n-1 … 0 with the cotangents of carries and, of what the body captures, sums.
// Counters and what the body passes on are no carries of these loops.
#include <algorithm>

#include "ir/core/trip_count.hpp"
#include "ops/control/control_derivatives.hpp"
#include "partita/ir/make_loop.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

Values results_from(Node& node, std::size_t first, std::size_t count) {
  Values results;
  for (std::size_t k = 0; k < count; ++k) results.push_back(node.result(int(first + k)));
  return results;
}

// --- Forward ------------------------------------------------------------------------------------

Values jvp(DerivativeContext& c, const Values& tangents) {
  const std::size_t count = tangents.size();
  const std::vector<bool> active =
      active_results(c.node, [&](Value v) { return bool(c.sweep.tangent(v)); });
  auto condition = std::make_unique<Graph>(), body = std::make_unique<Graph>();
  ValueMap<Value> in_condition, in_body, inner;
  for (std::size_t k = 0; k < count; ++k) {
    const Value test = c.node.region(0).argument(int(k)), work = c.node.region(1).argument(int(k));
    in_condition[test] = condition->add_argument(test.type());
    in_body[work] = body->add_argument(work.type(), c.node.region(1).argument_hint(int(k)));
  }
  Values operands = c.node.operands();
  for (std::size_t k = 0; k < count; ++k) {
    if (!active[k]) continue;
    const Type& type = c.node.result_types()[k];
    condition->add_argument(type);
    inner[in_body[c.node.region(1).argument(int(k))]] = body->add_argument(type);
    operands.push_back(c.or_zeros(tangents[k], type));
  }
  condition->results = clone_body(c.node.region(0), *condition, in_condition);
  const ForwardRegion forward = forward_region(c, "while", c.node.region(1), *body, in_body, inner);
  const DerivativeContext inside(c.node, *body, c.sweep, c.path);
  body->results = forward.results;
  for (std::size_t k = 0; k < count; ++k)
    if (active[k])
      body->results.push_back(inside.or_zeros(forward.tangents[k], c.node.result_types()[k]));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(condition));
  regions.push_back(std::move(body));
  Node* made = create(c.graph, c.node.name(), std::move(operands), c.node.attrs, std::move(regions),
                      {}, nullptr, c.node.location());
  c.sweep.replace(c.node, results_from(*made, 0, count));
  Values results(count);
  int at = int(count);
  for (std::size_t k = 0; k < count; ++k)
    if (active[k]) results[k] = made->result(at++);
  return results;
}

// --- Reverse ------------------------------------------------------------------------------------

Type stacked(Type type, std::int64_t n) {
  type.dims.insert(type.dims.begin(), n);
  return type;
}

/// The stack with entry `at` replaced.
Value put(const Maker& make, Value stack, Value entry, Value at) {
  return with_slice_along(make, stack, 0, at, make.reshape(entry, stacked(entry.type(), 1).dims));
}

Value get(const Maker& make, Value stack, const Type& entry, Value at) {
  return make.reshape(slice_along(make, stack, 0, at, 1), entry.dims);
}

class LoopReverse {
 public:
  DerivativeContext& c;

  LoopReverse(DerivativeContext& context, const Values& cotangents, std::int64_t trips)
      : c(context), cotangents_(cotangents), trips_(trips), index_(Type::scalar(index_dtype())) {}

  Values run() {
    sort_carries();
    build_body();
    find_live();
    reverse_body();
    remove_dead_nodes(*graph_);
    std::vector<bool> is_free(std::size_t(first_seed_), false);
    is_free[0] = true;
    split_ = split_region(*graph_, carries_.size(), first_seed_, is_free);
    stack_residuals();
    return run_backward();
  }

 private:
  /// The counter's type where it holds every t, so that the loop reads like the one it was.
  [[nodiscard]] DType index_dtype() const {
    const Value test = c.node.region(0).results[0];
    for (const Value& v : test.node->operands())
      if (c.node.region(0).is_argument(v) && v.type().dtype == DType::i32 &&
          trips_ < (std::int64_t{1} << 31))
        return DType::i32;
    return DType::i64;
  }

  void sort_carries() {
    const std::size_t n = c.node.operands().size();
    counters_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      passed_.push_back(is_passed_on(c.node, k));
      if (!passed_[k]) counters_[k] = counter_carry(c.node, k);
      if (!passed_[k] && !counters_[k]) carries_.push_back(k);
    }
  }

  /// The body over t and the carries, with counters computed and outer values in place of what is
  /// passed on.
  void build_body() {
    const Graph& body = c.node.region(1);
    graph_ = std::make_unique<Graph>();
    graph_->add_argument(index_, "t");
    const DerivativeContext inside(c.node, *graph_, c.sweep, c.path);
    ValueMap<Value> map;
    for (std::size_t k = 0; k < passed_.size(); ++k) {
      const Value argument = body.argument(int(k));
      if (passed_[k])
        map[argument] = c.node.operand(k);
      else if (counters_[k])
        map[argument] = counted(inside, graph_->argument(0), *counters_[k], argument.type());
      else
        map[argument] = graph_->add_argument(argument.type(), body.argument_hint(int(k)));
    }
    const Values next = clone_body(body, *graph_, map);
    for (const std::size_t k : carries_) graph_->results.push_back(next[k]);
    first_seed_ = graph_->argument_count();
  }

  static Value counted(const DerivativeContext& c, Value t, Counter counter, const Type& type) {
    Value v = c.convert(t, type.dtype);
    if (counter.step != 1) v = c.multiply(v, c.splat(type, double(counter.step)));
    if (counter.first != 0) v = c.op("stablehlo.add", {v, c.splat(type, double(counter.first))});
    return v;
  }

  /// Carries whose next values depend on carry k.
  [[nodiscard]] std::vector<bool> dependents(std::size_t k) const {
    std::vector<Value> active{graph_->argument(int(k) + 1)};
    const auto is_active = [&](Value v) { return std::ranges::find(active, v) != active.end(); };
    for (Node* node : graph_->nodes()) {
      const std::vector<bool> results = active_results(*node, is_active);
      for (std::size_t r = 0; r < results.size(); ++r)
        if (results[r]) active.push_back(node->result(int(r)));
    }
    std::vector<bool> found;
    for (const Value& v : graph_->results) found.push_back(is_active(v));
    return found;
  }

  /// Carries that have cotangents in some iteration, and depend on what is differentiated.
  void find_live() {
    const std::vector<bool> active =
        active_results(c.node, [&](Value v) { return c.sweep.is_active(v); });
    std::vector<bool> is_live(carries_.size());
    std::vector<std::vector<bool>> reaches;
    for (std::size_t i = 0; i < carries_.size(); ++i) {
      is_live[i] = active[carries_[i]] && cotangents_[carries_[i]];
      reaches.push_back(active[carries_[i]] ? dependents(i) : std::vector<bool>(carries_.size()));
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < carries_.size(); ++i)
        for (std::size_t j = 0; j < carries_.size() && !is_live[i]; ++j)
          if (reaches[i][j] && is_live[j]) is_live[i] = changed = true;
    }
    for (std::size_t i = 0; i < carries_.size(); ++i)
      if (is_live[i]) live_.push_back(i);
  }

  /// Appends the reverse: arguments for the cotangents of live carries, then for sums; results of
  /// the same types.
  void reverse_body() {
    const DerivativeContext inside(c.node, *graph_, c.sweep, c.path);
    Values outputs, seeds, wrt, outer;
    for (const std::size_t i : live_) {
      outputs.push_back(graph_->results[i]);
      wrt.push_back(graph_->argument(int(i) + 1));
    }
    for (const Value& v : outputs) seeds.push_back(graph_->add_argument(v.type()));
    for (const Value& v : outer_values(*graph_))
      if (c.sweep.is_active(v)) outer.push_back(v);
    wrt.insert(wrt.end(), outer.begin(), outer.end());
    const Values found = reverse_region(c, "while", *graph_, outputs, seeds, wrt);
    for (std::size_t i = 0; i < live_.size(); ++i)
      graph_->results.push_back(inside.or_zeros(found[i], wrt[i].type()));
    for (std::size_t i = live_.size(); i < found.size(); ++i) {
      if (!found[i]) continue;
      const Value sum = graph_->add_argument(found[i].type());
      graph_->results.push_back(accumulated(inside, sum, found[i]));
      summed_.push_back(wrt[i]);
    }
  }

  /// What is stacked, of the arguments and results of the forward region.
  [[nodiscard]] Values stacked_of(std::span<const Value> arguments, const Values& results) const {
    Values values;
    auto extra = results.begin() + std::ptrdiff_t(carries_.size());
    for (const int argument : split_.residuals)
      if (argument != 0)
        values.push_back(argument < 0 ? *extra++ : arguments[std::size_t(argument)]);
    return values;
  }

  /// The loop again, with stacks; results that others use come from it.
  void stack_residuals() {
    const Graph& forward = *split_.forward;
    const std::vector<Value> arguments = forward.arguments();
    const Values values = stacked_of(arguments, forward.results);
    if (values.empty()) return;
    Values start;
    for (const std::size_t k : carries_) start.push_back(c.node.operand(k));
    for (const Value& v : values)
      start.push_back(create_splat(c.graph, stacked(v.type(), trips_), 0, &c.node));
    const std::size_t n = carries_.size();
    const auto step = [&](const Maker& body, Value t, std::span<const Value> carries) {
      ValueMap<Value> map;
      const std::vector<Value> now = body.graph.arguments();
      for (std::size_t k = 0; k <= n; ++k) map[arguments[k]] = now[k];
      Values next = clone_body(forward, body.graph, map);
      const Values entries = stacked_of(now, next);
      next.resize(n);
      for (std::size_t k = 0; k < entries.size(); ++k)
        next.push_back(put(body, carries[n + k], entries[k], t));
      return next;
    };
    const Values made = make_counted_loop(Maker{c.graph, &c.node, c.node.location()}, index_.dtype,
                                          trips_, start, step);
    stacks_.assign(made.begin() + std::ptrdiff_t(n), made.end());
    mark_residuals(*made[0].node, 1 + n, values.size());
    replace_by(made);
  }

  void replace_by(const Values& carried) {
    Values results;
    std::size_t at = 0;
    for (std::size_t k = 0; k < passed_.size(); ++k) {
      const Type& type = c.node.result_types()[k];
      if (passed_[k])
        results.push_back(c.node.operand(k));
      else if (counters_[k])
        results.push_back(create_splat(
            c.graph, type, double(counters_[k]->first + trips_ * counters_[k]->step), &c.node));
      else
        results.push_back(carried[at++]);
    }
    c.sweep.replace(c.node, results);
  }

  /// One iteration of the reverse, with cotangents and sums so far.
  Values step_back(const Maker& body, Value t, std::span<const Value> carries) const {
    const DerivativeContext inside(c.node, body.graph, c.sweep, c.path);
    const Value back =
        inside.op("stablehlo.subtract", {inside.splat(index_, double(trips_ - 1)), t});
    const Graph& backward = *split_.backward;
    ValueMap<Value> map;
    int at = 0;
    auto stack = stacks_.begin();
    for (const int argument : split_.residuals) {
      const Value residual = backward.argument(at++);
      map[residual] = argument == 0 ? back : get(body, *stack++, residual.type(), back);
    }
    for (const Value& v : carries) map[backward.argument(at++)] = v;
    return clone_body(backward, body.graph, map);
  }

  Values run_backward() {
    Values start;
    for (const std::size_t i : live_)
      start.push_back(c.or_zeros(cotangents_[carries_[i]], c.node.result_types()[carries_[i]]));
    for (const Value& v : summed_) start.push_back(c.zeros(v.type()));
    const Values made = make_counted_loop(
        Maker{.graph = c.graph, .location = c.node.location()}, index_.dtype, trips_, start,
        [&](const Maker& body, Value t, std::span<const Value> now) {
          return step_back(body, t, now);
        });
    Values results(passed_.size());
    for (std::size_t k = 0; k < passed_.size(); ++k)
      if (passed_[k]) results[k] = cotangents_[k];
    for (std::size_t i = 0; i < live_.size(); ++i) results[carries_[live_[i]]] = made[i];
    for (std::size_t i = 0; i < summed_.size(); ++i)
      c.sweep.accumulate(summed_[i], made[live_.size() + i]);
    return results;
  }

  const Values& cotangents_;
  const std::int64_t trips_;
  const Type index_;  ///< of t
  std::vector<bool> passed_;
  std::vector<std::optional<Counter>> counters_;
  std::vector<std::size_t> carries_;  ///< of the loop: those that are neither
  std::vector<std::size_t> live_;     ///< of carries_: those with cotangents
  std::unique_ptr<Graph> graph_;      ///< the body with its reverse
  int first_seed_ = 0;
  SplitRegion split_;
  Values summed_;  ///< captured values with cotangents
  Values stacks_;  ///< by residual that is stacked
};

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const auto trips = trip_count(c.node);
  if (!trips)
    c.refuse(
        "reverse mode needs a trip count that is known when compiling (a counter from a constant "
        "to a constant); mode = \"forward\" works");
  if (*trips == 0) return cotangents;
  return LoopReverse(c, cotangents, *trips).run();
}

}  // namespace

Derivative loop_derivative() { return Derivative::rules(jvp, vjp); }

// --- Sums in place ------------------------------------------------------------------------------

namespace {

bool is_zero(Value v) {
  while (v.node->is("stablehlo.broadcast_in_dim")) v = v.node->operand(0);
  if (!v.node->is("stablehlo.constant") || !has_tangent(v.type())) return false;
  const DenseRef& dense = *v.node->attrs.find("value")->get_if<DenseRef>();
  if (!dense->is_splat()) return false;
  const HostArray one = convert(dense->to_array(), DType::c128);
  return one.type.count() > 0 && one.data<DType::c128>()[0] == 0.0;
}

bool is_update_of_zero(Value v) {
  return v.node->is("stablehlo.dynamic_update_slice") && is_zero(v.node->operand(0));
}

bool has_update_of_zero(Value v, const Graph& graph) {
  if (v.node->graph() != &graph) return false;
  if (v.node->is("stablehlo.add"))
    return has_update_of_zero(v.node->operand(0), graph) ||
           has_update_of_zero(v.node->operand(1), graph);
  return is_update_of_zero(v);
}

}  // namespace

Value accumulated(const DerivativeContext& c, Value sum, Value term) {
  if (!has_update_of_zero(term, c.graph)) return c.add(sum, term);
  const Values& x = term.node->operands();
  if (term.node->is("stablehlo.add")) return accumulated(c, accumulated(c, sum, x[0]), x[1]);
  const Values starts(x.begin() + 2, x.end());
  Values box{sum}, update{sum};
  box.insert(box.end(), starts.begin(), starts.end());
  const Value before =
      c.op("stablehlo.dynamic_slice", box, {{"slice_sizes", I64s(x[1].type().dims)}});
  update.push_back(c.add(before, x[1]));
  update.insert(update.end(), starts.begin(), starts.end());
  return c.op("stablehlo.dynamic_update_slice", update);
}

}  // namespace partita::ir
