// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Walking graphs, counting uses, removing dead nodes, copying.
#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_set>
#include <vector>

#include "partita/ir/effects.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

bool has_effects(const Node& node) {
  return node.op().has_side_effect || std::ranges::any_of(node.regions(), [](const auto& region) {
           return std::ranges::any_of(region->nodes(),
                                      [](const Node* inner) { return has_effects(*inner); });
         });
}

void walk(const Graph& graph, const std::function<void(Node&)>& visit) {
  for (Node* node : graph.nodes()) {
    visit(*node);
    for (const auto& region : node->regions()) walk(*region, visit);
  }
}

namespace {

// Whether the value is made below the node's regions.
bool is_inside(const Value& value, const Node& node) {
  for (const Graph* graph = value.node->graph(); graph && graph->owner();
       graph = graph->owner()->graph())
    if (graph->owner() == &node) return true;
  return false;
}

void visit_uses(const Graph& graph, const std::function<void(const Value&)>& visit) {
  for (const Node* node : graph.nodes()) {
    for (const Value& v : node->operands()) visit(v);
    for (const auto& region : node->regions()) visit_uses(*region, visit);
  }
  for (const Value& v : graph.results) visit(v);
}

// Nodes in one table without an allocation for each, as every pass asks for the dead ones.
class NodeSet {
 public:
  explicit NodeSet(std::size_t expected) : slots_(std::bit_ceil(2 * expected + 16)) {}

  void insert(const Node* node) {
    const Node*& slot = slots_[place(node)];
    if (slot == node) return;
    slot = node;
    if (2 * ++count_ > slots_.size()) grow();
  }
  [[nodiscard]] bool contains(const Node* node) const { return slots_[place(node)] == node; }

 private:
  // Where it is or would be.
  [[nodiscard]] std::size_t place(const Node* node) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (std::hash<const Node*>()(node) * 0x9e3779b97f4a7c15ULL >> 32U) & mask;
    while (slots_[at] != nullptr && slots_[at] != node) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<const Node*> old(2 * slots_.size());
    old.swap(slots_);
    for (const Node* node : old)
      if (node != nullptr) slots_[place(node)] = node;
  }

  std::vector<const Node*> slots_;  // of a power of two
  std::size_t count_ = 0;
};

// Marks what the graph's results and its nodes with side effects need, last node first.
void mark_live(const Graph& graph, NodeSet& live) {
  for (const Value& v : graph.results) live.insert(v.node);
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (!live.contains(*node) && !has_effects(**node)) continue;
    live.insert(*node);
    for (const Value& v : (*node)->operands()) live.insert(v.node);
    for (const auto& region : (*node)->regions()) mark_live(*region, live);
  }
}

bool sweep(Graph& graph, const NodeSet& live) {
  bool changed = graph.erase_if([&](const Node& node) { return !live.contains(&node); });
  for (Node* node : graph.nodes())
    for (const auto& region : node->regions()) changed |= sweep(*region, live);
  return changed;
}

Value mapped(const ValueMap<Value>& map, const Value& v) {
  const auto found = map.find(v);
  return found == map.end() ? v : found->second;
}

std::unique_ptr<Graph> clone_region(const Graph& graph, ValueMap<Value>& map) {
  auto copy = std::make_unique<Graph>();
  for (int k = 0; k < graph.argument_count(); ++k)
    map[graph.argument(k)] = copy->add_argument(graph.argument(k).type(), graph.argument_hint(k));
  copy->results = clone_body(graph, *copy, map);
  return copy;
}

}  // namespace

std::vector<Value> captures(const Node& node) {
  std::vector<Value> all;
  constexpr std::size_t few = 8;
  if (node.regions().empty() && node.operands().size() <= few) {
    for (const Value& v : node.operands())
      if (std::ranges::find(all, v) == all.end()) all.push_back(v);
    return all;
  }
  std::unordered_set<Value, ValueHash> seen;
  const auto add = [&](const Value& v) {
    if (!is_inside(v, node) && seen.insert(v).second) all.push_back(v);
  };
  for (const Value& v : node.operands()) add(v);
  for (const auto& region : node.regions()) visit_uses(*region, add);
  return all;
}

ValueMap<int> count_uses(const Graph& graph) {
  ValueMap<int> uses;
  visit_uses(graph, [&](const Value& v) { ++uses[v]; });
  return uses;
}

bool remove_dead_nodes(Graph& graph) {
  NodeSet live(graph.nodes().size());
  mark_live(graph, live);
  return sweep(graph, live);
}

Node* clone_node(const Node& node, Graph& into, ValueMap<Value>& map, Node* before) {
  std::vector<Value> operands;
  for (const Value& v : node.operands()) operands.push_back(mapped(map, v));
  std::vector<std::unique_ptr<Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(clone_region(*region, map));
  Node* copy = into.add_node(node.op(), std::move(operands), node.attrs, node.result_types(),
                             std::move(regions), before);
  copy->hint = node.hint;
  copy->loc_text = node.loc_text;
  copy->set_location(node.location());
  // A const node's results are only read as keys.
  for (int k = 0; k < node.result_count(); ++k)
    map[Value{const_cast<Node*>(&node), k}] = copy->result(k);
  return copy;
}

std::vector<Value> clone_body(const Graph& from, Graph& into, ValueMap<Value>& map, Node* before) {
  for (const Node* node : from.nodes()) clone_node(*node, into, map, before);
  std::vector<Value> results;
  for (const Value& v : from.results) results.push_back(mapped(map, v));
  return results;
}

std::unique_ptr<Graph> clone_graph(const Graph& graph, const ValueMap<Value>& outer) {
  ValueMap<Value> map = outer;
  return clone_region(graph, map);
}

std::unique_ptr<Module> clone_module(const Module& module) {
  auto copy = std::make_unique<Module>();
  copy->name = module.name;
  copy->attrs = module.attrs;
  copy->items = module.items;
  copy->file = module.file;
  copy->location_aliases = module.location_aliases;
  copy->loc_text = module.loc_text;
  for (const auto& function : module.functions) {
    auto f = std::make_unique<Function>();
    f->name = function->name;
    f->is_public = function->is_public;
    f->body = clone_graph(*function->body);
    f->result_types = function->result_types;
    f->arg_attrs = function->arg_attrs;
    f->res_attrs = function->res_attrs;
    f->attrs = function->attrs;
    f->location = function->location;
    f->loc_text = function->loc_text;
    f->arg_loc_texts = function->arg_loc_texts;
    copy->functions.push_back(std::move(f));
  }
  return copy;
}

}  // namespace partita::ir
