// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/axis_rewrite.hpp"

#include <algorithm>

#include "ir/axes/axis_regions.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "passes/rewrites/sharding_constraints.hpp"
#include "passes/transforms/partition/explain.hpp"
#include "passes/transforms/partition/flow_choice.hpp"
#include "passes/transforms/partition/held_values.hpp"
#include "passes/transforms/partition/indexed_parts.hpp"
#include "passes/transforms/partition/moving_boxes.hpp"
#include "passes/transforms/partition/ordered_parts.hpp"
#include "passes/transforms/partition/port_sharding.hpp"
#include "passes/transforms/partition/reshard.hpp"
#include "passes/transforms/partition/scattered_terms.hpp"
#include "passes/transforms/partition/windowed_parts.hpp"

namespace partita::passes {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

namespace {

using At = std::optional<AxisPosition>;

class Rewriter {
 public:
  Rewriter(const ir::Function& f, const MeshCut& cut, const AxisPlan& plan)
      : cut_(cut),
        plan_(plan),
        held_(cut, plan),
        needed_(cut, users_),
        halos_(cut, held_, needed_),
        uses_(ir::count_uses(*f.body)) {
    ir::walk(*f.body, [&](Node& node) {
      for (const Value& v : node.operands()) users_[v].push_back(&node);
    });
  }

  /// The nodes of a graph, whose arguments are held already.
  void nodes(const Graph& from, Graph& into) {
    for (Node* node : from.nodes()) rewrite(*node, into);
  }
  [[nodiscard]] Value get(Value v, const At& at) { return held_.get(v, at); }
  /// New arguments for those of a graph.
  void arguments(const Graph& from, Graph& into) {
    for (int k = 0; k < from.argument_count(); ++k) {
      const Value v = from.argument(k);
      const At at = plan_.position(v);
      held_.set(v, into, into.add_argument(part_type(v.type(), at), from.argument_hint(k)), at);
    }
  }

 private:
  void rewrite(Node& node, Graph& into) {
    if (is_inner_sum(node)) return;
    if (combine_terms(node, into)) return;
    inner_sums(node, into);
    rewrite_one(node, into);
  }

  /// A sum whose one use is in another sum of the graph: made with that.
  bool is_inner_sum(Node& node) {
    if (!node.is("stablehlo.add") || uses_[node.result()] != 1) return false;
    const auto users = users_.find(node.result());
    return users != users_.end() && users->second[0]->is("stablehlo.add") &&
           users->second[0]->graph() == node.graph() && !is_integer(node.result().type().dtype);
  }

  void inner_sums(Node& node, Graph& into) {
    if (!node.is("stablehlo.add")) return;
    for (const Value& v : node.operands())
      if (v.node->graph() == node.graph() && is_inner_sum(*v.node)) {
        inner_sums(*v.node, into);
        rewrite_one(*v.node, into);
      }
  }

  void add_terms(Node& sum, std::vector<Value>& terms) {
    for (const Value& v : sum.operands())
      if (v.node->graph() == sum.graph() && is_inner_sum(*v.node))
        add_terms(*v.node, terms);
      else
        terms.push_back(v);
  }

  /// Of a sum of several values that are sums over shards themselves, these are added first, so that they are
  /// combined at once.
  bool combine_terms(Node& node, Graph& into) {
    if (!node.is("stablehlo.add")) return false;
    std::vector<Value> terms, partial, whole;
    add_terms(node, terms);
    for (const Value& v : terms)
      (held_.partial(v) == Combiner::sum && uses_[v] == 1 ? partial : whole).push_back(v);
    if (partial.size() < 2 || whole.empty()) return false;
    const ir::Maker make{into, nullptr, node.location()};
    Value sum = held_.left(partial[0]);
    for (std::size_t k = 1; k < partial.size(); ++k)
      sum = make.op("stablehlo.add", {sum, held_.left(partial[k])});
    // The first partial value stands for all of them.
    held_.set_partial(partial[0], into, sum, Combiner::sum);
    const At at = plan_.position(node.result());
    Value total = get(partial[0], at);
    for (const Value& v : whole) total = make.op("stablehlo.add", {get(v, at), total});
    held_.set(node.result(), into, total, at);
    return true;
  }

  void rewrite_one(Node& node, Graph& into) {
    if (is_piece_op(node) && node.attrs.text("axis") == cut_.name()) return piece(node, into);
    if (node.is("stablehlo.while")) return loop(node, into);
    if (ir::is_control_flow(node)) return branches(node, into);
    if (node.is("mr.map")) return map(node, into);
    if (is_sharding_constraint(node)) return constraint(node, into);
    if (plan_.holds_whole(node)) return whole(node, into);
    if (pass_partial(node, into)) return;
    plain(node, into);
  }

  /// What every shard has as a value of its own, and the whole of these, are one part.
  void piece(Node& node, Graph& into) {
    const auto d = std::size_t(node.attrs.i64("dim"));
    const bool is_slice = node.is("mr.mesh_slice");
    const std::int64_t inner = (is_slice ? node.result() : node.operand(0)).type().dims[d];
    const AxisPosition at{.dim = int(d), .outer = 1, .inner = inner};
    if (is_slice)
      held_.set(node.result(), into, get(node.operand(0), at), {});
    else
      held_.set(node.result(), into, get(node.operand(0), {}), at);
  }

  void constraint(Node& node, Graph& into) {
    const At at = plan_.position(node.result());
    held_.set(node.result(), into,
              ir::create_value(into, node.name(), {get(node.operand(0), at)}, node.attrs), at);
  }

  std::unique_ptr<Graph> region(const Graph& from, const std::vector<At>& results) {
    auto into = std::make_unique<Graph>();
    arguments(from, *into);
    nodes(from, *into);
    for (std::size_t k = 0; k < results.size(); ++k)
      into->results.push_back(get(from.results[k], results[k]));
    return into;
  }

  void set_results(Node& node, Graph& into, Node* made, const std::vector<At>& at) {
    made->hint = node.hint;
    for (int k = 0; k < node.result_count(); ++k)
      held_.set(node.result(k), into, made->result(k), at[std::size_t(k)]);
  }

  void loop(Node& node, Graph& into) {
    std::vector<At> at;
    std::vector<Value> operands;
    for (int k = 0; k < node.result_count(); ++k) {
      at.push_back(plan_.position(node.region(1).argument(k)));
      operands.push_back(get(node.operand(std::size_t(k)), at.back()));
    }
    held_.prepare_captures(node);
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(region(node.region(0), {At{}}));
    regions.push_back(region(node.region(1), at));
    set_results(node, into, create(node, into, operands, std::move(regions), at), at);
  }

  void branches(Node& node, Graph& into) {
    std::vector<At> at;
    for (int k = 0; k < node.result_count(); ++k) at.push_back(plan_.position(node.result(k)));
    const Value index = get(node.operand(0), {});
    held_.prepare_captures(node);
    std::vector<std::unique_ptr<Graph>> regions;
    for (const auto& from : node.regions()) regions.push_back(region(*from, at));
    set_results(node, into, create(node, into, {index}, std::move(regions), at), at);
  }

  void map(Node& node, Graph& into) {
    const I64s &in = node.attrs.i64s_or_empty("in_axes"),
               &out = node.attrs.i64s_or_empty("out_axes");
    const auto outside = [](const At& at, const I64s& axes, std::size_t k) {
      return outside_map(at, axes.empty() ? 0 : axes[k]);
    };
    const Graph& body = node.region(0);
    std::vector<Value> operands;
    for (std::size_t k = 0; k < node.operands().size(); ++k)
      operands.push_back(
          get(node.operand(k), outside(plan_.position(body.argument(int(k))), in, k)));
    std::vector<At> inside, at;
    for (std::size_t k = 0; k < body.results.size(); ++k) {
      inside.push_back(plan_.position(body.results[k]));
      at.push_back(outside(inside.back(), out, k));
    }
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(region(body, inside));
    set_results(node, into, create(node, into, operands, std::move(regions), at), at);
  }

  Node* create(const Node& node, Graph& into, std::vector<Value> operands,
               std::vector<std::unique_ptr<Graph>> regions, const std::vector<At>& at) {
    std::vector<Type> types;
    for (std::size_t k = 0; k < at.size(); ++k)
      types.push_back(part_type(node.result_types()[k], at[k]));
    return ir::create(into, node.name(), std::move(operands), node.attrs, std::move(regions), types,
                      nullptr, node.location());
  }

  /// Sums that are left over shards stay so through what is linear in them, where nothing else needs them.
  bool pass_partial(Node& node, Graph& into) {
    const auto partial = partial_through(
        node, [&](Value v) { return uses_[v] == 1 ? held_.partial(v) : std::nullopt; });
    if (!partial) return false;
    std::vector<Value> operands;
    for (const Value& v : node.operands())
      operands.push_back(held_.partial(v) ? held_.left(v) : get(v, {}));
    Node* made = create(node, into, operands, clone_regions(node), {At{}});
    held_.set_partial(node.result(), into, made->result(), *partial);
    return true;
  }

  static std::vector<std::unique_ptr<Graph>> clone_regions(const Node& node) {
    std::vector<std::unique_ptr<Graph>> regions;
    for (const auto& region : node.regions()) regions.push_back(ir::clone_graph(*region));
    return regions;
  }

  /// Rows of a table that is cut along them; false where moving the table costs less.
  bool indexed(Node& node, Graph& into) {
    if (node.operands().empty()) return false;
    const Value table = node.operand(0);
    At at = held_.position(table);
    if (!at) at = plan_.position(table);
    if (!at || at->outer != 1 || !addresses(node, at->dim)) return false;
    const bool is_gather = node.is("stablehlo.gather");
    if (is_gather && 2 * node.result().type().bytes() > table.type().bytes()) return false;
    // Of numbers without a zero there is no sum with nothing.
    const DType dtype = table.type().dtype;
    if (is_gather && dtype == DType::f8e8m0fnu) return false;
    std::vector<Value> operands{get(table, at)};
    for (std::size_t k = 1; k < node.operands().size(); ++k)
      operands.push_back(get(node.operand(k), {}));
    if (is_gather) {
      held_.set_partial(node.result(), into, gather_part(node, *at, cut_, operands, into),
                        dtype == DType::i1 ? Combiner::logical_or : Combiner::sum);
    } else {
      held_.set(node.result(), into, scatter_part(node, *at, cut_, operands, into), at);
    }
    return true;
  }

  /// Windows over a dimension that is cut, with halos; false where the other flow costs less.
  bool windowed(Node& node, const AxisFlow& otherwise, Graph& into) {
    const WindowedFlow windows = choose_windows(node, cut_, plan_, held_, needed_);
    if (windows.cost >= flow_cost(node, otherwise, cut_, plan_, held_)) return false;
    const std::vector<Value> made = windowed_parts(node, windows, cut_, held_, halos_, into);
    for (int k = 0; k < node.result_count(); ++k)
      if (windows.flow.combiner)
        held_.set_partial(node.result(k), into, made[std::size_t(k)], *windows.flow.combiner);
      else
        held_.set(node.result(k), into, made[std::size_t(k)], windows.flow.results[std::size_t(k)]);
    return true;
  }

  void plain(Node& node, Graph& into) {
    if (make_scattered_terms(node, cut_, plan_, held_, into) || indexed(node, into) ||
        make_ordered(node, cut_, plan_, held_, into) ||
        make_moving_box(node, cut_, plan_, held_, halos_, into))
      return;
    const AxisFlow flow = choose_flow(node, cut_, plan_, held_);
    if (windowed(node, flow, into)) return;
    if (!try_flow(node, flow, into)) whole(node, into);
  }

  /// Every shard computes all of it.
  void whole(Node& node, Graph& into) {
    std::vector<Value> operands;
    for (const Value& v : node.operands()) operands.push_back(get(v, {}));
    const std::vector<At> at(std::size_t(node.result_count()));
    set_results(node, into, create(node, into, operands, clone_regions(node), at), at);
  }

  bool try_flow(Node& node, const AxisFlow& flow, Graph& into) {
    if (!ir::is_touched(flow)) return false;
    const Reshard reshard(into, cut_);
    std::vector<Value> operands;
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Value whole = node.operand(k);
      const At& at = flow.operands[k];
      Value v = get(whole, at);
      if (at && flow.kind == ir::FactorKind::reduced && !reduces_again(node, flow))
        v = reshard.masked(v, *at, whole.type().dims[std::size_t(at->dim)], *flow.combiner);
      // Removal drops a dimension of which a shard has one index.
      operands.push_back(ir::Maker{into}.reshape(v, ir::type_without(whole.type(), at).dims));
    }
    Value index;
    const ir::RemovalContext context{.into = into,
                                     .before = nullptr,
                                     .partition_index =
                                         [&] {
                                           if (!index) index = reshard.index();
                                           return index;
                                         },
                                     .capture = {}};
    const ir::Removal removal = ir::remove_dim(node, flow, cut_.size(), operands, context);
    if (!removal.why.empty()) return false;
    if (reduces_again(node, flow)) {
      reduce_again(node, removal.results, into);
      return true;
    }
    for (int k = 0; k < node.result_count(); ++k) {
      const At& at = flow.results[std::size_t(k)];
      const Value own = ir::Maker{into}.reshape(removal.results[std::size_t(k)],
                                                part_type(node.result(k).type(), at).dims);
      own.node->hint = node.hint;
      if (flow.kind == ir::FactorKind::reduced)
        held_.set_partial(node.result(k), into, own, *flow.combiner);
      else
        held_.set(node.result(k), into, own, at);
    }
    return true;
  }

  /// The reduction of what the shards' parts reduce to.
  void reduce_again(Node& node, const std::vector<Value>& own, Graph& into) {
    const Reshard reshard(into, cut_);
    std::vector<Value> operands;
    for (const Value& v : own) operands.push_back(reshard.stack(v));
    for (std::size_t k = own.size(); k < node.operands().size(); ++k)
      operands.push_back(get(node.operand(k), {}));
    ir::Dict attrs = node.attrs;
    attrs.set("dimensions", I64s{0});
    Node* made = ir::create(into, node.name(), operands, attrs, clone_regions(node),
                            node.result_types(), nullptr, node.location());
    set_results(node, into, made, std::vector<At>(own.size()));
  }

  MeshCut cut_;
  const AxisPlan& plan_;
  HeldValues held_;
  NeededPieces needed_;
  Halos halos_;
  ir::ValueMap<int> uses_;
  ValueUsers users_;
};

}  // namespace

void cut_along(ir::Function& f, const MeshCut& cut, PortShardings& ports,
               std::vector<std::string>& lines) {
  const AxisPlan plan(f, cut, [&](int k, const AxisPosition& at) {
    return ports.arguments[std::size_t(k)].can_add(cut, at);
  });
  explain(plan, *f.body, lines);
  auto body = std::make_unique<Graph>();
  Rewriter rewriter(f, cut, plan);
  rewriter.arguments(*f.body, *body);
  rewriter.nodes(*f.body, *body);
  for (std::size_t k = 0; k < ports.arguments.size(); ++k)
    if (const At at = plan.position(f.body->argument(int(k)))) ports.arguments[k].add(cut, *at);
  for (std::size_t k = 0; k < f.body->results.size(); ++k) {
    const Value v = f.body->results[k];
    const auto* sharding = ir::sharding_in(f.res_attrs[k].find("sdy.sharding"));
    At at = sharding ? plan.said(*sharding, v.type()) : plan.position(v);
    const bool is_whole =
        at && !sharding && !cuts_in_order(*at, cut.size(), v.type().dims[std::size_t(at->dim)]);
    if (is_whole || (at && !ports.results[k].add(cut, *at))) at = {};
    body->results.push_back(rewriter.get(v, at));
    f.result_types[k] = body->results.back().type();
  }
  f.body = std::move(body);
  ir::remove_dead_nodes(*f.body);
}

}  // namespace partita::passes
