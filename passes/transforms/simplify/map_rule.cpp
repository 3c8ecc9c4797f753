// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Maps with less to do: results that are operands or the same for all partitions leave the map,
// results that nothing uses go, operands that are constants or unused are not passed, work that is
// the same for all partitions is done once outside.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/effects.hpp"
#include "passes/transforms/simplify/hoisting.hpp"
#include "passes/transforms/simplify/rewriter.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

/// Whether a node needs to know the partition of a map that is around it.
bool asks_for_partition(const Node& node, std::set<std::string> inner = {}) {
  if (node.is("mr.partition_index")) {
    const std::string placement = node.attrs.text("placement", "");
    return placement.empty() ? inner.empty() : !inner.contains(placement);
  }
  if (node.is("mr.map") || node.is("mr.foreach")) inner.insert(node.attrs.text("placement"));
  for (const auto& region : node.regions())
    for (const Node* n : region->nodes())
      if (asks_for_partition(*n, inner)) return true;
  return false;
}

class MapSimplification {
 public:
  MapSimplification(Node& map, Rewriter& r)
      : map_(map),
        r_(r),
        body_(map.region(0)),
        placement_(map.attrs.text("placement")),
        in_(axes("in_axes", map.operands().size())),
        out_(axes("out_axes", map.result_types().size())) {}

  Replacement run() {
    if (!is_used_at_all()) return {};
    find_uniform();
    decide_results();
    decide_operands();
    choose_hoisted();
    if (!changes_) return {};
    // Without results no map would be made, and what happens within has to.
    const bool keeps_any = std::ranges::find(fates_, Fate::kept) != fates_.end();
    if (!keeps_any && ir::has_effects(map_)) return {};
    return rebuilt();
  }

 private:
  enum class Fate : std::uint8_t { kept, unused, forwarded, uniform, repeated };
  enum class Source : std::uint8_t { kept, dropped, constant, repeated };

  I64s axes(std::string_view name, std::size_t count) const {
    return map_.attrs.contains(name) ? map_.attrs.i64s(name) : I64s(count, 0);
  }

  bool is_used_at_all() const {
    for (int k = 0; k < map_.result_count(); ++k)
      if (r_.uses(map_.result(k)) > 0) return true;
    return false;
  }

  /// The value that every partition sees at operand k; nothing where they differ.
  std::optional<Value> shared_operand(std::size_t k) const {
    const Value v = map_.operand(k);
    if (in_[k] < 0) return v;
    if (in_[k] == 0 && v.node->is("mr.broadcast") && v.node->attrs.text("placement") == placement_)
      return v.node->operand(0);
    return std::nullopt;
  }

  /// Values of the body that are the same in all partitions.
  void find_uniform() {
    for (std::size_t k = 0; k < map_.operands().size(); ++k)
      if (shared_operand(k)) uniform_.insert(body_.argument(int(k)));
    for (Node* node : body_.nodes()) {
      const auto needs = ir::captures(*node);
      const bool is_uniform =
          !ir::has_effects(*node) && !asks_for_partition(*node) &&
          std::ranges::all_of(needs, [&](const Value& v) { return uniform_.contains(v); });
      for (int k = 0; is_uniform && k < node->result_count(); ++k) uniform_.insert(node->result(k));
    }
  }

  void decide_results() {
    std::set<std::pair<Value, std::int64_t>> seen;
    for (std::size_t k = 0; k < body_.results.size(); ++k) {
      const Value v = body_.results[k];
      Fate fate = Fate::kept;
      if (r_.uses(map_.result(int(k))) == 0)
        fate = Fate::unused;
      else if (body_.is_argument(v) && in_[std::size_t(v.index)] == out_[k])
        fate = Fate::forwarded;
      else if (uniform_.contains(v) && out_[k] <= 0)
        fate = Fate::uniform;
      else if (!seen.insert({v, out_[k]}).second)
        fate = Fate::repeated;
      fates_.push_back(fate);
      changes_ |= fate != Fate::kept;
    }
  }

  /// What the kept results need.
  std::unordered_set<Value, ir::ValueHash> needed_values() const {
    std::unordered_set<Value, ir::ValueHash> needed;
    for (std::size_t k = 0; k < fates_.size(); ++k)
      if (fates_[k] == Fate::kept) needed.insert(body_.results[k]);
    for (auto it = body_.nodes().rbegin(); it != body_.nodes().rend(); ++it) {
      Node* node = *it;
      bool is_needed = ir::has_effects(*node);
      for (int k = 0; k < node->result_count(); ++k) is_needed |= needed.contains(node->result(k));
      if (!is_needed) continue;
      for (const Value& v : ir::captures(*node)) needed.insert(v);
    }
    return needed;
  }

  /// The constant that stands for operand k in each partition; null when there is none.
  ir::DenseRef partition_constant(std::size_t k) const {
    if (const auto shared = shared_operand(k)) {
      const ir::DenseRef dense = constant_of(*shared);
      return dense && (dense->is_splat() || dense->type().count() <= 64) ? dense : nullptr;
    }
    const ir::DenseRef splat = splat_of(map_.operand(k));
    return splat ? repeat(*splat, body_.argument(int(k)).type().dims) : nullptr;
  }

  void decide_operands() {
    const auto needed = needed_values();
    std::set<std::pair<Value, std::int64_t>> seen;
    for (std::size_t k = 0; k < map_.operands().size(); ++k) {
      Source source = Source::kept;
      if (!needed.contains(body_.argument(int(k))))
        source = Source::dropped;
      else if (partition_constant(k))
        source = Source::constant;
      else if (!seen.insert({map_.operand(k), in_[k]}).second)
        source = Source::repeated;
      sources_.push_back(source);
    }
    keep_one_with_axis();
    for (const Source s : sources_) changes_ |= s != Source::kept;
  }

  /// A map has its size from an operand.
  void keep_one_with_axis() {
    std::optional<std::size_t> first;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      if (in_[k] < 0) continue;
      if (sources_[k] == Source::kept) return;
      if (!first) first = k;
    }
    if (first) sources_[*first] = Source::kept;
  }

  /// Work for all partitions alike whose results other work needs.
  void choose_hoisted() {
    const auto needed = needed_values();
    for (Node* node : body_.nodes()) {
      bool is_candidate = is_worth_keeping(*node) && !ir::captures(*node).empty();
      bool is_needed = false;
      for (int k = 0; k < node->result_count(); ++k) {
        is_candidate &= uniform_.contains(node->result(k));
        is_needed |= needed.contains(node->result(k));
      }
      if (is_candidate && is_needed) hoisted_.push_back(node);
    }
    changes_ |= !hoisted_.empty();
  }

  /// The value outside of the map that a uniform value of the body is.
  Value outside(Value v) {
    if (const auto it = outside_.find(v); it != outside_.end()) return it->second;
    if (body_.is_argument(v)) {
      const auto shared = shared_operand(std::size_t(v.index));
      PARTITA_ASSERT(shared.has_value());
      return outside_[v] = *shared;
    }
    for (const Value& x : ir::captures(*v.node)) (void)outside(x);
    r_.copy(*v.node, outside_);
    return outside_.at(v);
  }

  Value placed(Value v) {
    Type type = v.type();
    type.dims.insert(type.dims.begin(), size());
    return r_.value("mr.broadcast", {v}, {{"placement", placement_}}, {&type, 1});
  }

  std::int64_t size() const {
    for (std::size_t k = 0; k < in_.size(); ++k)
      if (in_[k] >= 0) return map_.operand(k).type().dims[std::size_t(in_[k])];
    for (std::size_t k = 0; k < out_.size(); ++k)
      if (out_[k] >= 0) return map_.result_types()[k].dims[std::size_t(out_[k])];
    return r_.module().placement_size(placement_).value_or(1);
  }

  Replacement rebuilt() {
    Replacement values(body_.results.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (fates_[k] == Fate::forwarded)
        values[k] = map_.operand(std::size_t(body_.results[k].index));
      if (fates_[k] == Fate::uniform)
        values[k] = out_[k] < 0 ? outside(body_.results[k]) : placed(outside(body_.results[k]));
    }
    if (std::ranges::find(fates_, Fate::kept) != fates_.end()) add_map(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (fates_[k] == Fate::repeated) {
        std::size_t first = 0;
        while (fates_[first] != Fate::kept || body_.results[first] != body_.results[k] ||
               out_[first] != out_[k])
          ++first;
        values[k] = values[first];
      }
      // Nothing reads it; any value of its type will do.
      if (fates_[k] == Fate::unused) values[k] = r_.splat(map_.result_types()[k], 0);
    }
    return values;
  }

  /// The smaller map; sets what stands for the results that are kept.
  void add_map(Replacement& values) {
    auto region = std::make_unique<Graph>();
    ir::ValueMap<Value> map;
    std::vector<Value> operands;
    I64s in_axes, out_axes;
    std::map<std::pair<Value, std::int64_t>, Value> arguments;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const Value old = body_.argument(int(k));
      if (sources_[k] == Source::constant)
        map[old] = ir::create_constant(*region, partition_constant(k));
      if (sources_[k] == Source::repeated) map[old] = arguments.at({map_.operand(k), in_[k]});
      if (sources_[k] != Source::kept) continue;
      map[old] = arguments[{map_.operand(k), in_[k]}] =
          region->add_argument(old.type(), body_.argument_hint(int(k)));
      operands.push_back(map_.operand(k));
      in_axes.push_back(in_[k]);
    }
    std::unordered_set<const Node*> is_hoisted;
    for (Node* node : hoisted_) {
      is_hoisted.insert(node);
      for (int k = 0; k < node->result_count(); ++k) {
        operands.push_back(placed(outside(node->result(k))));
        in_axes.push_back(0);
        map[node->result(k)] = region->add_argument(node->result_types()[std::size_t(k)]);
      }
    }
    for (const Node* node : body_.nodes())
      if (!is_hoisted.contains(node)) ir::clone_node(*node, *region, map);
    std::vector<Type> types;
    for (std::size_t k = 0; k < fates_.size(); ++k) {
      if (fates_[k] != Fate::kept) continue;
      const auto it = map.find(body_.results[k]);
      region->results.push_back(it == map.end() ? body_.results[k] : it->second);
      out_axes.push_back(out_[k]);
      types.push_back(map_.result_types()[k]);
    }
    ir::remove_dead_nodes(*region);
    ir::Dict attrs = map_.attrs;
    attrs.set("in_axes", in_axes);
    attrs.set("out_axes", out_axes);
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    Node* fresh = r_.create("mr.map", operands, attrs, std::move(regions), types);
    int next = 0;
    for (std::size_t k = 0; k < fates_.size(); ++k)
      if (fates_[k] == Fate::kept) values[k] = fresh->result(next++);
  }

  Node& map_;
  Rewriter& r_;
  const Graph& body_;
  std::string placement_;
  I64s in_, out_;
  std::unordered_set<Value, ir::ValueHash> uniform_;
  std::vector<Fate> fates_;
  std::vector<Source> sources_;
  std::vector<Node*> hoisted_;
  ir::ValueMap<Value> outside_;
  bool changes_ = false;
};

}  // namespace

Replacement simplify_map(Node& map, Rewriter& r) { return MapSimplification(map, r).run(); }

}  // namespace partita::passes
