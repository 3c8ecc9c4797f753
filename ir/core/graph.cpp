// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/graph.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"

namespace partita::ir {

namespace {

const OpDef& arguments_op() {
  static const OpDef op = [] {
    OpDef def;
    def.name = "graph.arguments";
    def.doc = "Arguments of a graph; never in its order.";
    return def;
  }();
  return op;
}

}  // namespace

const Type& Value::type() const {
  PARTITA_ASSERT(node && index >= 0 && index < node->result_count());
  return node->result_types()[std::size_t(index)];
}

// Definitions of custom calls are named with their targets; the op's name is what comes before.
std::string_view Node::name() const {
  const std::string_view name = op_->name;
  return name.substr(0, name.find(' '));
}

// --- Graph --------------------------------------------------------------------------------------

Graph::Graph(Node* owner) : owner_(owner), arguments_(std::make_unique<Node>()) {
  arguments_->op_ = &arguments_op();
  arguments_->graph_ = this;
}
Graph::~Graph() = default;

Value Graph::add_argument(const Type& type, std::string hint) {
  arguments_->result_types_.push_back(type);
  argument_hints_.push_back(std::move(hint));
  return {arguments_.get(), arguments_->result_count() - 1};
}

int Graph::argument_count() const { return arguments_->result_count(); }

Value Graph::argument(int k) const {
  PARTITA_ASSERT(k >= 0 && k < argument_count());
  return {arguments_.get(), k};
}

std::vector<Value> Graph::arguments() const {
  std::vector<Value> all;
  for (int k = 0; k < argument_count(); ++k) all.push_back(argument(k));
  return all;
}

const std::string& Graph::argument_hint(int k) const { return argument_hints_.at(std::size_t(k)); }

void Graph::erase_argument(int k) {
  PARTITA_ASSERT(k >= 0 && k < argument_count());
  ValueMap<Value> moved;
  for (int i = k + 1; i < argument_count(); ++i) moved[argument(i)] = {arguments_.get(), i - 1};
  if (!moved.empty()) replace_uses(moved);
  arguments_->result_types_.erase(arguments_->result_types_.begin() + k);
  argument_hints_.erase(argument_hints_.begin() + k);
}

Node* Graph::add_node(const OpDef& op, std::vector<Value> operands, Dict attrs,
                      std::vector<Type> result_types, std::vector<std::unique_ptr<Graph>> regions,
                      Node* before) {
  auto node = std::make_unique<Node>();
  node->op_ = &op;
  node->operands_ = std::move(operands);
  node->attrs = std::move(attrs);
  node->result_types_ = std::move(result_types);
  node->regions_ = std::move(regions);
  node->graph_ = this;
  for (const auto& region : node->regions_) region->set_owner(node.get());
  auto at = order_.end();
  if (before) {
    at = std::find(order_.begin(), order_.end(), before);
    PARTITA_ASSERT(at != order_.end());
  }
  order_.insert(at, node.get());
  storage_.push_back(std::move(node));
  return storage_.back().get();
}

void Graph::erase(Node* node) {
  const auto at = std::find(order_.begin(), order_.end(), node);
  PARTITA_ASSERT(at != order_.end());
  order_.erase(at);
  const auto owned = std::find_if(storage_.begin(), storage_.end(),
                                  [&](const auto& n) { return n.get() == node; });
  PARTITA_ASSERT(owned != storage_.end());
  storage_.erase(owned);
}

bool Graph::erase_if(const std::function<bool(const Node&)>& is_dead) {
  const std::size_t before = order_.size();
  std::erase_if(order_, [&](const Node* node) { return is_dead(*node); });
  if (order_.size() == before) return false;
  std::erase_if(storage_, [&](const auto& node) { return is_dead(*node); });
  return true;
}

void Graph::move_before(Node* node, Node* before) {
  if (node == before) return;
  const auto at = std::find(order_.begin(), order_.end(), node);
  PARTITA_ASSERT(at != order_.end());
  order_.erase(at);
  const auto target = before ? std::find(order_.begin(), order_.end(), before) : order_.end();
  PARTITA_ASSERT(!before || target != order_.end());
  order_.insert(target, node);
}

void Graph::replace_uses(Value from, Value to) { replace_uses(ValueMap<Value>{{from, to}}); }

void Graph::replace_uses(const ValueMap<Value>& map) {
  const auto renamed = [&](Value v) {
    const auto found = map.find(v);
    return found == map.end() ? v : found->second;
  };
  for (Node* node : order_) {
    for (Value& v : node->operands_) v = renamed(v);
    for (const auto& region : node->regions_) region->replace_uses(map);
  }
  for (Value& v : results) v = renamed(v);
}

// --- Function and Module ------------------------------------------------------------------------

std::vector<Type> Function::argument_types() const {
  std::vector<Type> types;
  for (int k = 0; k < body->argument_count(); ++k) types.push_back(body->argument(k).type());
  return types;
}

Function* Module::find(std::string_view function_name) const {
  for (const auto& function : functions)
    if (function->name == function_name) return function.get();
  return nullptr;
}

Function& Module::entry(std::string_view function_name) const {
  if (Function* function = find(function_name)) return *function;
  std::vector<Function*> candidates;
  for (const auto& function : functions)
    if (function->is_public) candidates.push_back(function.get());
  if (function_name == "main" && candidates.size() == 1) return *candidates.front();
  std::string names;
  for (const Function* function : candidates)
    names += cat(names.empty() ? "" : ", ", "@", function->name);
  throw_user_error(
      cat("expected a function @", function_name, ", found ",
          names.empty() ? std::string("no public function") : "public functions " + names),
      {.file = file});
}

std::optional<std::int64_t> Module::placement_size(std::string_view placement) const {
  const Attribute* placements = attrs.find("mr.placements");
  if (!placements || !placements->get_if<Dict>()) return std::nullopt;
  const Attribute* size = placements->get_if<Dict>()->find(placement);
  if (!size || !size->get_if<Integer>()) return std::nullopt;
  return size->get_if<Integer>()->value;
}

}  // namespace partita::ir
