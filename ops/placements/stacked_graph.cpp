// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A function on many values of one argument at once, as forward mode asks for it: its ops with one
// more dimension, ops of placements staying such ops.
#include <algorithm>

#include "ir/axes/dim_edit.hpp"
#include "ops/placements/mr_derivatives.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/factor_transform.hpp"

namespace partita::ir {
namespace {

/// The largest value of a function that runs on many arguments at once, and how many these are at
/// most: more of them gain little and take memory.
constexpr std::int64_t most_bytes = std::int64_t(32) << 20, most_at_once = 256;

/// Ops of placements, and forms whose region is the value.
bool is_placed(const Node& node) {
  return node.name().starts_with("mr.reduce_") || node.is("mr.map") || node.is("mr.broadcast") ||
         node.is("mr.partition_index") || node.is("mr.stop_gradient") ||
         (node.is("mr.checkpoint") && !node.regions().empty());
}

bool has_isolated_region(const Node& node) { return node.is("mr.map") || node.is("mr.checkpoint"); }

/// Whether every op of the graph, and of maps in it, can have one more dimension.
bool can_stack(const Graph& graph) {
  if (!why_not_batched(graph, is_placed).empty()) return false;
  bool can = true;
  walk(graph, [&](const Node& node) {
    if (can && has_isolated_region(node)) can = can_stack(node.region(0));
  });
  return can;
}

/// An op of a placement with the further dimension: of placed values it follows the placement's, so
/// that they are moved there and back; what lies between two such ops cancels.
class PlacedOp {
 public:
  PlacedOp(const Node& node, BatchMap& map, const BatchContext& context)
      : node_(node), map_(map), context_(context) {
    for (const Value& v : node.operands()) operands_.push_back(look_up(map, v));
  }

  bool stack() {
    const auto is_batched = [](const BatchedValue& v) { return v.batched; };
    if (!is_placed(node_) || std::ranges::none_of(operands_, is_batched)) return false;
    if (has_isolated_region(node_)) return on_region(), true;
    if (node_.is("mr.broadcast")) return broadcast(), true;
    if (node_.is("mr.stop_gradient")) return pass_on(), true;
    reduce();
    return true;
  }

 private:
  [[nodiscard]] Maker maker() const { return {context_.into, context_.before}; }
  [[nodiscard]] std::string placement() const { return node_.attrs.text("placement"); }
  void set(int k, Value v, bool is_batched = true) const {
    map_[Value{const_cast<Node*>(&node_), k}] = {v, is_batched};  // a key only
  }

  /// Dimension `from` becomes dimension `to`.
  [[nodiscard]] Value moved(Value v, std::int64_t from, std::int64_t to) const {
    if (from == to) return v;
    return maker().transpose(v, moved_dim(v.type().rank(), from, to));
  }
  /// A placed value with the placement first, the further dimension second.
  [[nodiscard]] Value placed_first(std::size_t k) const {
    return moved(batched(operands_[k], context_), 1, 0);
  }

  [[nodiscard]] I64s axes(const char* name, std::size_t count) const {
    if (node_.is("mr.checkpoint")) return I64s(count, -1);
    return node_.attrs.contains(name) ? node_.attrs.i64s(name) : I64s(count, 0);
  }

  void on_region() const {
    const Graph& body = node_.region(0);
    I64s in_axes = axes("in_axes", operands_.size());
    const I64s old_axes = axes("out_axes", body.results.size());
    I64s out_axes = old_axes;
    auto region = std::make_unique<Graph>();
    BatchMap inner;
    Values values;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      Value v = operands_[k].value;
      Type type = body.argument(int(k)).type();
      if (operands_[k].batched) {
        type = with_dim_inserted(type, 0, context_.size);
        if (in_axes[k] >= 0) v = moved(v, in_axes[k] + 1, 0);
        in_axes[k] = std::min<std::int64_t>(in_axes[k], 0);
      }
      inner[body.argument(int(k))] = {region->add_argument(type), operands_[k].batched};
      values.push_back(v);
    }
    const BatchContext inside{.into = *region, .size = context_.size, .special = context_.special};
    const std::vector<BatchedValue> results = batch_body(body, inner, inside);
    for (std::size_t k = 0; k < results.size(); ++k) {
      region->results.push_back(results[k].value);
      if (results[k].batched) out_axes[k] = std::min<std::int64_t>(out_axes[k], 0);
    }
    Node* made = make(std::move(region), std::move(values), in_axes, out_axes);
    for (std::size_t k = 0; k < results.size(); ++k) {
      Value v = made->result(int(k));
      if (results[k].batched && old_axes[k] >= 0) v = moved(v, 0, old_axes[k] + 1);
      set(int(k), v, results[k].batched);
    }
  }

  [[nodiscard]] Node* make(std::unique_ptr<Graph> region, Values operands, const I64s& in_axes,
                           const I64s& out_axes) const {
    Dict attrs = node_.attrs;
    std::vector<Type> types;
    for (std::size_t k = 0; k < region->results.size(); ++k) {
      const Type& type = region->results[k].type();
      types.push_back(
          out_axes[k] < 0
              ? type
              : with_dim_inserted(type, int(out_axes[k]),
                                  node_.result_types()[k]
                                      .dims[std::size_t(axes("out_axes", out_axes.size())[k])]));
    }
    if (node_.is("mr.map")) {
      attrs.set("in_axes", in_axes);
      attrs.set("out_axes", out_axes);
    }
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    return create(context_.into, node_.name(), std::move(operands), std::move(attrs),
                  std::move(regions), types, context_.before, node_.location());
  }

  void broadcast() const {
    const Type type = with_dim_inserted(node_.result_types()[0], 1, context_.size);
    set(0, moved(maker().typed("mr.broadcast", {operands_[0].value}, type, node_.attrs), 0, 1));
  }

  void pass_on() const {
    Values values;
    for (const BatchedValue& v : operands_) values.push_back(v.value);
    Node* made = create(context_.into, node_.name(), values, node_.attrs, {}, {}, context_.before);
    for (std::size_t k = 0; k < operands_.size(); ++k)
      set(int(k), made->result(int(k)), operands_[k].batched);
  }

  /// One op for each value, as weights by element have their value's dimensions.
  void reduce() const {
    const ReduceSegments s =
        reduce_segments(node_.attrs, operands_.size(), node_.is("mr.reduce_weighted_mean"));
    for (std::size_t k = 0; k < s.values; ++k) {
      Values values{placed_first(k)};
      if (s.weights > 0) values.push_back(weights_for(s.weight(), values[0].type()));
      if (s.masks > 0) values.push_back(operands_[s.mask()].value);
      if (s.keeps > 0) values.push_back(batched(operands_[s.keep(k)], context_));
      Dict attrs = node_.attrs;
      attrs.set("operand_segments", I64s{1, std::int64_t(s.weights), std::int64_t(s.masks),
                                         s.keeps > 0 ? std::int64_t{1} : std::int64_t{0}});
      set(int(k), create(context_.into, node_.name(), values, attrs, {}, {}, context_.before,
                         node_.location())
                      ->result());
    }
  }

  /// Weights for a value [n, size, …]: one for each partition, or by element.
  [[nodiscard]] Value weights_for(std::size_t k, const Type& value) const {
    const bool is_batched = operands_[k].batched;
    const Type& own = node_.operand(k).type();
    if (!is_batched && own.rank() == 1) return operands_[k].value;
    const Value w = is_batched ? placed_first(k) : operands_[k].value;
    auto region = std::make_unique<Graph>();
    Type type = w.type();
    type.dims.erase(type.dims.begin());
    const Value argument = region->add_argument(type);
    // Of one partition: [size], [size, …] or […].
    const Dims dims(value.dims.begin() + 1, value.dims.end());
    region->results = {
        Maker{*region}.broadcast(argument, dims, counting(type.rank(), is_batched ? 0 : 1))};
    Type result = value;
    result.dtype = type.dtype;
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    return create(context_.into, "mr.map", {w},
                  {{"placement", placement()}, {"in_axes", I64s{0}}, {"out_axes", I64s{0}}},
                  std::move(regions), {&result, 1}, context_.before)
        ->result();
  }

  const Node& node_;
  BatchMap& map_;
  const BatchContext& context_;
  std::vector<BatchedValue> operands_;
};

/// Bytes of the largest value that depends on an argument; in loops and maps that do, of all values.
std::int64_t largest_dependent(const Graph& graph, int argument) {
  std::int64_t bytes = 1;
  const auto see = [&](const Type& type) {
    if (!type.is_token) bytes = std::max(bytes, std::int64_t(type.bytes()));
  };
  see(graph.argument(argument).type());
  ValueMap<bool> depends{{graph.argument(argument), true}};
  for (Node* node : graph.nodes()) {
    const Values uses = captures(*node);
    if (std::ranges::none_of(uses, [&](const Value& v) { return depends.contains(v); })) continue;
    for (int k = 0; k < node->result_count(); ++k) {
      depends[node->result(k)] = true;
      see(node->result_types()[std::size_t(k)]);
    }
    for (const auto& region : node->regions())
      walk(*region, [&](const Node& inner) {
        for (const Type& type : inner.result_types()) see(type);
      });
  }
  return bytes;
}

}  // namespace

std::int64_t tangents_at_once(const Graph& graph, int argument, std::int64_t count) {
  const std::int64_t limit =
      std::clamp<std::int64_t>(most_bytes / largest_dependent(graph, argument), 1, most_at_once);
  if (count <= limit) return std::max<std::int64_t>(count, 1);
  const std::int64_t blocks = (count + limit - 1) / limit;
  return (count + blocks - 1) / blocks;
}

std::unique_ptr<Graph> stacked_graph(const Graph& graph, int argument, std::size_t result,
                                     std::int64_t size) {
  const std::unique_ptr<Graph> alone = clone_graph(graph);
  alone->results = {alone->results.at(result)};
  remove_dead_nodes(*alone);
  if (!can_stack(*alone)) return nullptr;
  auto stacked = std::make_unique<Graph>();
  BatchMap map;
  for (int k = 0; k < alone->argument_count(); ++k) {
    const Type& type = alone->argument(k).type();
    const bool is_stacked = k == argument;
    map[alone->argument(k)] = {
        stacked->add_argument(is_stacked ? with_dim_inserted(type, 0, size) : type,
                              alone->argument_hint(k)),
        is_stacked};
  }
  const BatchContext context{
      .into = *stacked,
      .size = size,
      .special = [](const Node& node, BatchMap& values, const BatchContext& here) {
        return PlacedOp(node, values, here).stack();
      }};
  stacked->results = {batched(batch_body(*alone, map, context)[0], context)};
  remove_dead_nodes(*stacked);
  return stacked;
}

}  // namespace partita::ir
