// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Makes communication explicit: accumulated results of outermost loops over a placement are combined
// over its shards, one all-reduce for each loop, combiner and dtype; stacked results of which something needs more than
// a shard's block are gathered.
#include <algorithm>
#include <map>

#include "partita/base/error.hpp"
#include "partita/base/wire.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/partition_blocks.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

Node* node_after(const Graph& graph, const Node* node) {
  const auto it = std::ranges::find(graph.nodes(), node);
  return it + 1 == graph.nodes().end() ? nullptr : *(it + 1);
}

/// Emits start and done over `values`; other uses see the results of done.
std::vector<Value> communicate(Graph& graph, const std::string& op,
                               const std::vector<Value>& values, const ir::Dict& attrs,
                               Node* before) {
  const Type token = Type::token();
  Node* start = ir::create(graph, cat("mr.", op, "_start"), values, attrs, {}, {&token, 1}, before);
  std::vector<Type> types;
  for (const Value& v : values) types.push_back(v.type());
  Node* done = ir::create(graph, cat("mr.", op, "_done"), {start->result()}, {}, {}, types, before);
  std::vector<Value> results;
  for (int k = 0; k < done->result_count(); ++k) results.push_back(done->result(k));
  return results;
}

/// What used `from` uses `to`, which their collective gives.
void replace(Graph& graph, const std::vector<Value>& from, const std::vector<Value>& to) {
  ir::ValueMap<Value> map;
  for (std::size_t k = 0; k < from.size(); ++k) map[from[k]] = to[k];
  Node* const start = to[0].node->operand(0).node;
  graph.replace_uses(map);
  start->set_operands(from);
}

void gather(Graph& graph, Value v, const std::string& placement, Node* before,
            PassContext& context) {
  replace(graph, {v}, communicate(graph, "all_gather", {v}, {{"placement", placement}}, before));
  ++context.counts["all_gathers"];
  context.remarks.push_back(
      cat("a value over '", placement, "' of type ", to_string(v.type()),
          " is gathered on every shard, because an operation outside of maps uses it"));
}

/// Sums of fewer elements (losses, weights, counts) travel as they are.
constexpr std::int64_t least_rounded = 1024;

/// As the options of the pass say, or else those of the compilation.
Wire wire_of(const PassContext& context) {
  const auto option = context.options.find("wire");
  if (option == context.options.end()) return context.wire;
  const auto format = find_wire_format(option->second);
  if (!format)
    throw_user_error(
        cat("distribute: expected wire f32, bf16, f16 or int8, found ", option->second));
  return {.format = *format, .feeds_back = context.options.contains("feedback")};
}

/// What one call combines.
struct CallKey {
  std::string combiner;
  DType dtype;
  bool is_rounded;
  auto operator<=>(const CallKey&) const = default;
};

ir::Dict attributes_of(const CallKey& key, const std::string& placement, const Wire& wire) {
  ir::Dict attributes{{"placement", placement}, {"combiner", key.combiner}};
  if (key.is_rounded) attributes.set("wire", std::string(to_string(wire.format)));
  if (key.is_rounded && wire.feeds_back) attributes.set("feeds_back", true);
  return attributes;
}

void distribute_loop(Graph& graph, Node& loop, const ir::PartitionBlocks& blocks,
                     PassContext& context) {
  const std::string placement = loop.attrs.text("placement");
  const auto* kinds = loop.attrs.find("results")->get_if<ir::List>();
  Node* const before = node_after(graph, &loop);
  const Wire wire = wire_of(context);
  std::map<CallKey, std::vector<Value>> groups;
  std::map<DType, std::vector<Value>> gathers;
  for (int k = 0; k < loop.result_count(); ++k) {
    const std::string& kind = *kinds->items[std::size_t(k)].get_if<std::string>();
    const Value v = loop.result(k);
    const bool is_rounded = wire.format != WireFormat::exact && kind == "sum" &&
                            v.type().dtype == DType::f32 && v.type().count() >= least_rounded;
    if (kind != "stack")
      groups[{kind, v.type().dtype, is_rounded}].push_back(v);
    else if (blocks.needs_gather(v))
      gathers[v.type().dtype].push_back(v);
  }
  for (const auto& [key, values] : groups) {
    replace(graph, values,
            communicate(graph, "all_reduce", values, attributes_of(key, placement, wire), before));
    ++context.counts["all_reduces"];
  }
  for (const auto& [dtype, all] : gathers)
    for (const Value& v : all) gather(graph, v, placement, before, context);
}

void distribute(Graph& graph, const ir::PartitionBlocks& blocks, PassContext& context) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    if (node->is("mr.foreach")) {
      distribute_loop(graph, *node, blocks, context);
      continue;  // loops inside run on one shard
    }
    for (const auto& region : node->regions()) distribute(*region, blocks, context);
    if (!node->is("stablehlo.while")) continue;
    Node* const before = node_after(graph, node);
    for (int k = 0; k < node->result_count(); ++k)
      if (const Value v = node->result(k); blocks.needs_gather(v))
        gather(graph, v, *blocks.placement(v), before, context);
  }
}

void run(ir::Module& module, PassContext& context) {
  for (const auto& f : module.functions)
    if (f->is_public) distribute(*f->body, ir::PartitionBlocks(*f), context);
}

}  // namespace

PassInfo pass_distribute();
PassInfo pass_distribute() {
  return {.name = "distribute",
          .doc = "Makes reductions and gathers over placements explicit collectives.",
          .needs = Stage::placed,
          .gives = Stage::distributed,
          .idempotent = false,
          .options = {"wire", "feedback"},
          .run = run};
}

}  // namespace partita::passes::transforms
