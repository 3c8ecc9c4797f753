// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Turns broadcasts, maps and reductions into mr.foreach: the loop over a shard's partitions, B at a
// time.  Broadcasts vanish (their operand is shared by all partitions), reductions become
// accumulators; with B > 1 the body is batched.  The placement axis never enters types inside.
#include <algorithm>
#include <utility>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/factor_transform.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/transforms/place/block_size.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

struct Layout {
  enum class Kind : std::uint8_t { loop, batch, automatic } kind = Kind::automatic;
  std::int64_t block = 0;  ///< of `batch:B`; 0: all partitions
};

Layout parse_layout(const std::string& text) {
  if (text == "loop") return {Layout::Kind::loop, 1};
  if (text == "auto") return {};
  if (text == "batch") return {Layout::Kind::batch, 0};
  if (text.starts_with("batch:")) {
    const std::string digits = text.substr(6);
    const bool is_number =
        !digits.empty() && digits.size() < 10 &&
        std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); });
    if (is_number && std::stoll(digits) > 0) return {Layout::Kind::batch, std::stoll(digits)};
  }
  throw_user_error(cat("--layout: expected loop, batch, batch:B or auto, found '", text, "'"));
}

class Placer {
 public:
  Placer(ir::Module& module, PassContext& context)
      : module_(module), context_(context), layout_(parse_layout(context.layout)) {}

  void place(Graph& graph, bool is_inside) {
    remove_barriers(graph);
    for (Node* node : std::vector<Node*>(graph.nodes())) {
      for (const auto& region : node->regions()) place(*region, is_inside || node->is("mr.map"));
      if (node->is("mr.map")) place_map(graph, *node);
    }
    finish(graph);
  }

 private:
  std::int64_t size_of(const std::string& placement) const {
    const auto n = module_.placement_size(placement);
    if (!n)
      throw_user_error(cat("placement '", placement,
                           "' has no size: declare it in mr.placements or with --placement"));
    return *n;
  }

  std::int64_t choose_block(const Node& map, std::int64_t n) {
    const Graph& body = map.region(0);
    if (layout_.kind == Layout::Kind::loop) return 1;
    std::int64_t block = layout_.block == 0 ? n : std::min(layout_.block, n);
    if (layout_.kind == Layout::Kind::automatic) {
      const BlockChoice choice = passes::choose_block(partition_work(body), n, context_.target);
      reason_ = choice.reason;
      block = choice.block;
    }
    if (block <= 1) return 1;
    const std::string why =
        ir::why_not_batched(body, [](const Node& node) { return node.is("mr.partition_index"); });
    if (why.empty()) return block;
    context_.remarks.push_back(
        cat("map over '", map.attrs.text("placement"), "' streams one partition at a time: ", why));
    return 1;
  }

  struct Output {
    int region_result;
    std::string kind;  ///< "stack", "sum", …
    Value old;
  };

  /// What becomes of each use of the map's results.
  std::vector<Output> outputs_of(Graph& graph, Node& map) {
    std::vector<Output> outputs;
    std::vector<int> other_uses(std::size_t(map.result_count()), 0);
    const auto uses = ir::count_uses(graph);
    for (int k = 0; k < map.result_count(); ++k) {
      const auto it = uses.find(map.result(k));
      other_uses[std::size_t(k)] = it == uses.end() ? 0 : it->second;
    }
    for (Node* node : graph.nodes()) {
      if (!is_reduction(*node) || node->operand(0).node != &map) continue;
      if (node->attrs.text("placement") != map.attrs.text("placement")) continue;
      const Combiner by = *find_combiner(&CombinerInfo::reduction, node->name());
      outputs.push_back({node->operand(0).index, std::string(info(by).mr), node->result()});
      --other_uses[std::size_t(node->operand(0).index)];
    }
    for (int k = 0; k < map.result_count(); ++k)
      if (other_uses[std::size_t(k)] > 0) outputs.push_back({k, "stack", map.result(k)});
    return outputs;
  }

  void place_map(Graph& graph, Node& map) {
    const std::string placement = map.attrs.text("placement");
    const std::int64_t n = size_of(placement);
    const std::vector<Output> outputs = outputs_of(graph, map);
    const std::int64_t block = choose_block(map, n);
    const I64s& axes = map.attrs.i64s("in_axes");
    // Operands: slices first, then what all partitions share.
    std::vector<Value> sliced, shared;
    std::vector<std::pair<bool, std::size_t>> origin;
    for (std::size_t k = 0; k < map.operands().size(); ++k) {
      Value v = map.operand(k);
      const bool is_broadcast = v.node->is("mr.broadcast") &&
                                v.node->attrs.text("placement") == placement && axes[k] == 0;
      if (is_broadcast) v = v.node->operand(0);
      const bool is_shared = is_broadcast || axes[k] != 0;
      auto& group = is_shared ? shared : sliced;
      auto found = std::ranges::find(group, v);
      if (found == group.end()) {
        group.push_back(v);
        found = group.end() - 1;
      }
      origin.emplace_back(is_shared, std::size_t(found - group.begin()));
    }
    auto region = std::make_unique<Graph>();
    const Value first = region->add_argument(Type::scalar(DType::i64));
    (void)region->add_argument(Type::scalar(DType::i32));
    std::vector<Value> sliced_arguments, shared_arguments;
    for (const Value& v : sliced) {
      Type t = ir::partition_type(v.type());
      if (block > 1) t.dims.insert(t.dims.begin(), block);
      sliced_arguments.push_back(region->add_argument(t));
    }
    for (const Value& v : shared) shared_arguments.push_back(region->add_argument(v.type()));
    const Graph& body = map.region(0);
    std::vector<Value> results;
    if (block == 1) {
      ir::ValueMap<Value> inner;
      for (std::size_t k = 0; k < origin.size(); ++k)
        inner[body.argument(int(k))] =
            (origin[k].first ? shared_arguments : sliced_arguments)[origin[k].second];
      // Results are uses too: the counter may be one of them.
      region->results = ir::clone_body(body, *region, inner);
      replace_index(*region, placement, first);
      results = std::exchange(region->results, {});
    } else {
      results = batched_body(body, *region, origin, sliced_arguments, shared_arguments, first,
                             block, placement);
    }
    ir::List kinds;
    std::vector<Type> types;
    for (const Output& o : outputs) {
      region->results.push_back(results[std::size_t(o.region_result)]);
      kinds.items.emplace_back(o.kind);
      types.push_back(o.old.type());
    }
    std::vector<Value> operands = sliced;
    operands.insert(operands.end(), shared.begin(), shared.end());
    ir::Dict attrs{
        {"placement", placement},
        {"block", block},
        {"operand_segments", I64s{std::int64_t(sliced.size()), std::int64_t(shared.size())}},
        {"results", kinds}};
    if (!reason_.empty()) attrs.set("mr.block_reason", reason_);
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    Node* loop = ir::create(graph, "mr.foreach", operands, attrs, std::move(regions), types, &map,
                            map.location());
    ir::ValueMap<Value> replaced;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      replaced[outputs[k].old] = loop->result(int(k));
    graph.replace_uses(replaced);
    ++context_.counts["foreach_loops"];
  }

  std::vector<Value> batched_body(const Graph& body, Graph& region,
                                  const std::vector<std::pair<bool, std::size_t>>& origin,
                                  const std::vector<Value>& sliced,
                                  const std::vector<Value>& shared, Value first, std::int64_t block,
                                  const std::string& placement) {
    ir::BatchMap map;
    for (std::size_t k = 0; k < origin.size(); ++k)
      map[body.argument(int(k))] = {(origin[k].first ? shared : sliced)[origin[k].second],
                                    !origin[k].first};
    const auto special = [&](const Node& node, ir::BatchMap& m, const ir::BatchContext& c) {
      if (!node.is("mr.partition_index")) return false;
      const Type partitions{.dtype = DType::i32, .dims = {block}};
      const ir::Maker make{c.into, c.before};
      const Value iota = make.iota(partitions, 0);
      const Value base = make.broadcast(make.convert(first, DType::i32), partitions.dims, {});
      m[const_cast<Node&>(node).result()] = {make.op("stablehlo.add", {base, iota}), true};
      return true;
    };
    (void)placement;
    const ir::BatchContext context{.into = region, .size = block, .special = special};
    std::vector<Value> results;
    for (const ir::BatchedValue& v : ir::batch_body(body, map, context))
      results.push_back(ir::batched(v, context));
    return results;
  }

  /// mr.partition_index of this placement is the loop's counter.
  static void replace_index(Graph& region, const std::string& placement, Value first) {
    std::vector<Node*> found;
    ir::walk(region, [&](Node& node) {
      if (node.is("mr.partition_index") && node.attrs.text("placement", placement) == placement)
        found.push_back(&node);
    });
    if (found.empty()) return;
    Node* const start = region.nodes().empty() ? nullptr : region.nodes().front();
    const Value index = ir::Maker{region, start}.convert(first, DType::i32);
    for (Node* node : found) region.replace_uses(node->result(), index);
    for (Node* node : found) node->graph()->erase(node);
  }

  /// A barrier between maps has put them in order, which the graph has by now: loops take what the maps before give as
  /// it lies.
  static void remove_barriers(Graph& graph) {
    for (Node* node : std::vector<Node*>(graph.nodes())) {
      const std::vector<Value> values = ir::passed_by_barrier(*node);
      if (values.empty()) continue;
      ir::ValueMap<Value> passed;
      for (std::size_t k = 0; k < values.size(); ++k) passed[node->result(int(k))] = values[k];
      graph.replace_uses(passed);
      graph.erase(node);
    }
  }

  /// What is left: broadcasts that something outside of maps uses become ordinary ones.
  static void finish(Graph& graph) {
    for (Node* node : std::vector<Node*>(graph.nodes())) {
      if (!node->is("mr.broadcast")) continue;
      const Value x = node->operand(0);
      I64s dims(x.type().dims.size());
      for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = std::int64_t(d) + 1;
      const ir::Maker make{graph, node};
      graph.replace_uses(node->result(), make.broadcast(x, node->result_types()[0].dims, dims));
    }
    ir::remove_dead_nodes(graph);
    // Each map has its loop, which does what has effects within the map.
    if (graph.erase_if([](const Node& node) { return node.is("mr.map"); }))
      ir::remove_dead_nodes(graph);
  }

  ir::Module& module_;
  PassContext& context_;
  Layout layout_;
  std::string reason_;  ///< of the last block that was chosen
};

void run(ir::Module& module, PassContext& context) {
  Placer placer(module, context);
  for (const auto& f : module.functions)
    if (f->is_public) placer.place(*f->body, false);
}

}  // namespace

PassInfo pass_place();
PassInfo pass_place() {
  return {
      .name = "place",
      .doc = "Turns maps and reductions into streamed or batched loops over a shard's partitions.",
      .needs = Stage::raised,
      .gives = Stage::placed,
      .idempotent = true,
      .run = run};
}

}  // namespace partita::passes::transforms
