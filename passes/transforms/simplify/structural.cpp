// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/simplify/structural.hpp"

#include "partita/ir/effects.hpp"
#include "partita/ir/fingerprint.hpp"
#include "passes/transforms/simplify/hoisting.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::mix;
using ir::Node;
using ir::Value;

/// How many nodes one after the other that are not worth keeping are looked through.
constexpr int most_looked_through = 4;

bool is_looked_through(Value v, int depth) {
  return depth > 0 && v.node->graph() != nullptr && !v.node->graph()->is_argument(v) &&
         v.node->regions().empty() && !ir::has_effects(*v.node) && !is_worth_keeping(*v.node);
}

std::size_t hash_of(const Node& node, int depth);

std::size_t hash_of(Value v, int depth) {
  if (!is_looked_through(v, depth)) return ir::ValueHash()(v);
  return mix(hash_of(*v.node, depth - 1), std::size_t(v.index));
}

std::size_t hash_of(const Node& node, int depth) {
  std::size_t h = std::hash<const void*>()(&node.op());
  for (const Value& v : node.operands()) h = mix(h, hash_of(v, depth));
  h = mix(h, ir::fingerprint(node.attrs));
  for (const Type& t : node.result_types()) h = mix(h, ir::fingerprint(t));
  for (const auto& region : node.regions()) h = mix(h, region->nodes().size());
  return h;
}

bool equal_nodes(const Node& a, const Node& b, ir::ValueMap<Value>& map, int depth);

/// `map` takes values of one side to those of the other.
bool equal_values(Value a, Value b, ir::ValueMap<Value>& map, int depth) {
  if (const auto it = map.find(a); it != map.end()) a = it->second;
  if (a == b) return true;
  return a.index == b.index && is_looked_through(a, depth) && is_looked_through(b, depth) &&
         equal_nodes(*a.node, *b.node, map, depth - 1);
}

bool equal_values(const std::vector<Value>& a, const std::vector<Value>& b,
                  ir::ValueMap<Value>& map, int depth) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!equal_values(a[k], b[k], map, depth)) return false;
  return true;
}

/// In a graph nothing is looked through.
bool equal_graphs(const Graph& a, const Graph& b, ir::ValueMap<Value>& map) {
  if (a.argument_count() != b.argument_count() || a.nodes().size() != b.nodes().size())
    return false;
  for (int k = 0; k < a.argument_count(); ++k) {
    if (a.argument(k).type() != b.argument(k).type()) return false;
    map[a.argument(k)] = b.argument(k);
  }
  for (std::size_t i = 0; i < a.nodes().size(); ++i)
    if (!equal_nodes(*a.nodes()[i], *b.nodes()[i], map, 0)) return false;
  return equal_values(a.results, b.results, map, 0);
}

bool equal_nodes(const Node& a, const Node& b, ir::ValueMap<Value>& map, int depth) {
  if (&a.op() != &b.op() || a.result_types() != b.result_types() ||
      a.regions().size() != b.regions().size())
    return false;
  if (!equal_values(a.operands(), b.operands(), map, depth) || !(a.attrs == b.attrs)) return false;
  for (std::size_t k = 0; k < a.regions().size(); ++k)
    if (!equal_graphs(a.region(k), b.region(k), map)) return false;
  for (int k = 0; k < a.result_count(); ++k)
    map[Value{const_cast<Node*>(&a), k}] = Value{const_cast<Node*>(&b), k};
  return true;
}

/// Of both comparison and hash.
int depth_of(bool looks_through) { return looks_through ? most_looked_through : 0; }

}  // namespace

std::size_t structural_hash(const Node& node, bool looks_through) {
  return hash_of(node, depth_of(looks_through));
}

bool structurally_equal(const Node& a, const Node& b, bool looks_through) {
  ir::ValueMap<Value> map;
  return equal_nodes(a, b, map, depth_of(looks_through));
}

}  // namespace partita::passes
