// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/simplify/rewriter.hpp"

#include "partita/base/error.hpp"

namespace partita::passes {

using ir::Graph;
using ir::Node;
using ir::Value;

Node* Rewriter::create(std::string_view op, std::vector<Value> operands, ir::Dict attrs,
                       std::vector<std::unique_ptr<Graph>> regions,
                       std::span<const Type> declared) {
  Node* node = ir::create(*at_.graph(), op, std::move(operands), std::move(attrs),
                          std::move(regions), declared, &at_, at_.location());
  created_.push_back(node);
  return node;
}

Value Rewriter::value(std::string_view op, std::vector<Value> operands, ir::Dict attrs,
                      std::span<const Type> declared) {
  Node* node = create(op, std::move(operands), std::move(attrs), {}, declared);
  PARTITA_ASSERT(node->result_count() == 1);
  return node->result();
}

Value Rewriter::constant(ir::DenseRef dense) {
  const Type type = dense->type();
  return value("stablehlo.constant", {}, {{"value", std::move(dense)}}, {&type, 1});
}

Value Rewriter::reshape(Value v, const Type& type) {
  return v.type() == type ? v : value("stablehlo.reshape", {v}, {}, {&type, 1});
}

Value Rewriter::broadcast(Value v, const Type& type, const ir::I64s& dims) {
  return value("stablehlo.broadcast_in_dim", {v}, {{"broadcast_dimensions", dims}}, {&type, 1});
}

std::vector<Value> Rewriter::inline_body(const Graph& body, ir::ValueMap<Value>& map) {
  for (const Node* node : body.nodes()) copy(*node, map);
  std::vector<Value> results;
  for (const Value& v : body.results) {
    const auto it = map.find(v);
    results.push_back(it == map.end() ? v : it->second);
  }
  return results;
}

void Rewriter::copy(const Node& node, ir::ValueMap<Value>& map) {
  created_.push_back(ir::clone_node(node, *at_.graph(), map, &at_));
}

int Rewriter::uses(Value v) const {
  const auto it = uses_.find(v);
  return it == uses_.end() ? 0 : it->second;
}

}  // namespace partita::passes
