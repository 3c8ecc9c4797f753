// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Replaces calls by the functions' bodies, composites of other dialects by the op they name or by
// their decomposition, optimization barriers by their operands, but for those behind maps,
// which end a phase (fuse-maps).  Composites "partita.*" stay for raise.
#include <algorithm>
#include <set>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/backend_config.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/sorted_prefix.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Function;
using ir::Graph;
using ir::Node;
using ir::Value;

class Inliner {
 public:
  explicit Inliner(ir::Module& module) : module_(module) {}

  void function(Function& f) {
    if (done_.contains(&f)) return;
    if (!active_.insert(&f).second)
      throw_user_error(cat("func.call: expected no recursion, found @", f.name, " calling itself"),
                       f.location);
    ir::ValueMap<Value> replaced;
    graph(*f.body, replaced);
    f.body->replace_uses(replaced);
    ir::remove_dead_nodes(*f.body);
    active_.erase(&f);
    done_.insert(&f);
  }

 private:
  void graph(Graph& g, ir::ValueMap<Value>& replaced) {
    for (Node* node : std::vector<Node*>(g.nodes())) {
      for (const auto& region : node->regions()) graph(*region, replaced);
      const std::vector<Value> results = inlined(*node, replaced);
      for (std::size_t k = 0; k < results.size(); ++k) replaced[node->result(int(k))] = results[k];
    }
  }

  static Value resolve(Value v, const ir::ValueMap<Value>& replaced) {
    const auto it = replaced.find(v);
    return it == replaced.end() ? v : it->second;
  }

  /// What stands for the node's results; empty when the node stays.
  std::vector<Value> inlined(Node& node, const ir::ValueMap<Value>& replaced) {
    std::vector<Value> operands;
    for (const Value& v : node.operands()) operands.push_back(resolve(v, replaced));
    const bool is_annotated_scalar =
        node.is("sdy.sharding_constraint") && operands[0].type().dims.empty();
    const bool is_barrier =
        node.is("stablehlo.optimization_barrier") && ir::passed_by_barrier(node).empty();
    if (is_barrier || is_annotated_scalar) return operands;
    if (node.op().name == "stablehlo.custom_call @ApproxTopK") return approx_top_k(node, operands);
    std::string callee;
    if (node.is("func.call")) callee = node.attrs.text("callee");
    if (node.is("stablehlo.composite")) {
      const std::string& name = node.attrs.text("name");
      if (name.starts_with("partita.") && is_placement_op(name)) return {};
      const ir::OpDef* op = ir::OpRegistry::instance().find(name);
      if (op != nullptr && name.starts_with("chlo.") && node.result_count() == 1) {
        const Value v =
            ir::create_value(*node.graph(), name, operands, {}, node.result_types(), &node);
        return {v};
      }
      callee = node.attrs.text("decomposition");
    }
    if (callee.empty()) return {};
    Function* f = module_.find(callee);
    if (f == nullptr)
      throw_user_error(cat(node.name(), ": expected a function, found @", callee), node.location());
    function(*f);
    ir::ValueMap<Value> map;
    for (std::size_t k = 0; k < operands.size(); ++k) map[f->body->argument(int(k))] = operands[k];
    return ir::clone_body(*f->body, *node.graph(), map, &node);
  }

  /// The comparator is a function of the module: inlined as the region of a sort.
  std::vector<Value> approx_top_k(Node& node, std::vector<Value> operands) {
    Function* f = module_.find(node.attrs.find("called_computations")
                                   ->get_if<ir::List>()
                                   ->items[0]
                                   .get_if<ir::SymbolRef>()
                                   ->name);
    PARTITA_ASSERT(f != nullptr);
    function(*f);
    auto comparator = std::make_unique<Graph>();
    ir::ValueMap<Value> map;
    for (const Value& v : f->body->arguments()) map[v] = comparator->add_argument(v.type());
    comparator->results = ir::clone_body(*f->body, *comparator, map);
    operands.resize(operands.size() / 2);
    return sorted_prefix(node, operands, std::move(comparator),
                         std::size_t(ir::backend_config(node.attrs)->i64("reduction_dim")));
  }

  /// Composites that raise understands; others under the same prefix are inlined like any.
  static bool is_placement_op(std::string_view name) {
    static constexpr std::string_view known[] = {
        "partita.broadcast",           "partita.map",        "partita.reduce_sum",
        "partita.reduce_mean",         "partita.reduce_max", "partita.reduce_min",
        "partita.reduce_weighted_mean"};
    return std::ranges::find(known, name) != std::end(known);
  }

  ir::Module& module_;
  std::set<const Function*> active_, done_;
};

void run(ir::Module& module, PassContext&) {
  Inliner inliner(module);
  for (const auto& f : module.functions) inliner.function(*f);
}

}  // namespace

PassInfo pass_inline();
PassInfo pass_inline() {
  return {.name = "inline",
          .doc =
              "Replaces calls, foreign composites and barriers, but for barriers behind maps, by "
              "what they stand for.",
          .needs = Stage::parsed,
          .gives = Stage::inlined,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
