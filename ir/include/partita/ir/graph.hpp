// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The IR: a Module holds functions, a function a Graph, a Graph nodes in order, a Node its operands,
// attributes, result types and regions (Graphs again).
//
// Semantics, stated once.  Every node is pure: it may be removed when unused, repeated, and moved to
// any place where its operands exist (`check.*` nodes and mr collectives stay in order).  Control
// flow is structured: a region runs as its node says.  Values are dense arrays; integer arithmetic
// wraps; floating-point elementwise arithmetic is evaluated as written, without contraction, in the
// element type (small floats: computed in f32, rounded after each operation), so that fused equals
// unfused; reductions and contractions may associate in any order and may use fma.  NaN payloads
// are unspecified.
//
// Regions of `while`, `if` and `case` may use values of the enclosing graphs; functions and regions
// of every other op are isolated.  A Graph owns its nodes; addresses are stable; a node belongs to
// one graph.  Graph arguments are results of a node of op "graph.arguments" that is not in the order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "partita/ir/attribute.hpp"

namespace partita::ir {

struct OpDef;
class Graph;
class Node;

/// Result `index` of `node`.
struct Value {
  Node* node = nullptr;
  int index = 0;

  [[nodiscard]] const Type& type() const;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Value&) const = default;
  auto operator<=>(const Value&) const = default;
};

struct ValueHash {
  std::size_t operator()(const Value& v) const {
    return std::hash<const void*>()(v.node) * 31 + std::size_t(v.index);
  }
};
template <class T>
using ValueMap =
    std::unordered_map<Value, T, ValueHash>;  // iteration order must never reach output

class Node {
 public:
  [[nodiscard]] const OpDef& op() const { return *op_; }
  /// "stablehlo.add"
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool is(std::string_view op_name) const { return name() == op_name; }
  [[nodiscard]] const std::vector<Value>& operands() const { return operands_; }
  [[nodiscard]] const Value& operand(std::size_t k) const { return operands_.at(k); }
  [[nodiscard]] const std::vector<Type>& result_types() const { return result_types_; }
  [[nodiscard]] Value result(int k = 0) { return {this, k}; }
  [[nodiscard]] int result_count() const { return int(result_types_.size()); }
  [[nodiscard]] const std::vector<std::unique_ptr<Graph>>& regions() const { return regions_; }
  [[nodiscard]] Graph& region(std::size_t k) const { return *regions_.at(k); }
  [[nodiscard]] Graph* graph() const { return graph_; }
  [[nodiscard]] const SourceLocation& location() const { return location_; }

  Dict attrs;  ///< flattened, see attribute.hpp
  /// Name in the source text without '%', for messages; may be empty.
  std::string hint;
  /// MLIR location text (`loc(...)` content) as read, kept for printing with debug info; may be empty.
  std::string loc_text;

  // Mutation, for the builder, the parser and passes (the rewriter) only.
  void set_operand(std::size_t k, Value v) { operands_.at(k) = v; }
  void set_operands(std::vector<Value> v) { operands_ = std::move(v); }
  void set_result_types(std::vector<Type> t) { result_types_ = std::move(t); }
  void set_location(SourceLocation l) { location_ = std::move(l); }

 private:
  friend class Graph;
  const OpDef* op_ = nullptr;
  std::vector<Value> operands_;
  std::vector<Type> result_types_;
  std::vector<std::unique_ptr<Graph>> regions_;
  Graph* graph_ = nullptr;
  SourceLocation location_;
};

class Graph {
 public:
  explicit Graph(Node* owner = nullptr);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Node this graph is a region of; null for a function body.
  [[nodiscard]] Node* owner() const { return owner_; }
  void set_owner(Node* owner) { owner_ = owner; }
  Value add_argument(const Type& type, std::string hint = {});
  [[nodiscard]] int argument_count() const;
  [[nodiscard]] Value argument(int k) const;
  [[nodiscard]] std::vector<Value> arguments() const;
  /// Name in the source text without '%', for messages; may be empty.
  [[nodiscard]] const std::string& argument_hint(int k) const;
  [[nodiscard]] bool is_argument(Value v) const { return v.node == arguments_.get(); }
  void erase_argument(
      int k);  ///< must be unused; later arguments move down (all uses are renumbered)

  /// Nodes in order: operands come before users.
  [[nodiscard]] const std::vector<Node*>& nodes() const { return order_; }

  /// Makes a node, appended or before `before`.  `result_types` are taken as given: use ir::create
  /// (op.hpp), which infers and verifies.
  Node* add_node(const OpDef& op, std::vector<Value> operands, Dict attrs,
                 std::vector<Type> result_types, std::vector<std::unique_ptr<Graph>> regions = {},
                 Node* before = nullptr);
  void erase(Node* node);  ///< results must be unused
  /// Erases all nodes of this graph (not of regions) that `is_dead` names; true if there were any.
  bool erase_if(const std::function<bool(const Node&)>& is_dead);
  void move_before(Node* node, Node* before);  ///< within this graph; `before` null: to the end

  std::vector<Value> results;  ///< what the terminator returns

  /// Replaces uses in this graph and every region below it.
  void replace_uses(Value from, Value to);
  void replace_uses(const ValueMap<Value>& map);

 private:
  Node* owner_;
  std::unique_ptr<Node> arguments_;
  std::vector<std::string> argument_hints_;
  std::vector<std::unique_ptr<Node>> storage_;
  std::vector<Node*> order_;
};

struct Function {
  std::string name;
  bool is_public = true;
  std::unique_ptr<Graph> body;
  std::vector<Type> result_types;          ///< declared; equal to the types of body->results
  std::vector<Dict> arg_attrs, res_attrs;  ///< as many as arguments and results
  Dict attrs;                              ///< others, kept
  SourceLocation location;
  /// MLIR location texts as read, of the function and of its arguments; may be empty.
  std::string loc_text;
  std::vector<std::string> arg_loc_texts;
  [[nodiscard]] std::vector<Type> argument_types() const;
};

/// A non-function symbol or op at module level that is kept as read (sdy.mesh).
struct ModuleItem {
  std::string op, symbol;
  Dict attrs;
  std::string raw;  ///< the text of its pretty form after the op name
};

struct Module {
  std::string name;
  Dict attrs;  ///< mr.placements = {clients = 512}, mhlo.*, …
  std::vector<ModuleItem> items;
  std::vector<std::unique_ptr<Function>> functions;  ///< in source order
  std::string file;                                  ///< for messages
  /// Location aliases (`#loc1 = loc("x")`) as read, in order, kept for printing.
  std::vector<std::string> location_aliases;
  std::string loc_text;  ///< of the module, as read; may be empty

  [[nodiscard]] Function* find(std::string_view function_name) const;
  /// `name`, or the only public function if there is one and `name` is "main"; else a user error.
  [[nodiscard]] Function& entry(std::string_view function_name) const;
  /// Size of a placement per `mr.placements`, if it is declared.
  [[nodiscard]] std::optional<std::int64_t> placement_size(std::string_view placement) const;
};

// --- Walking and copying ------------------------------------------------------------------------

/// Every node of the graph and of the regions below, parents before their regions' nodes.
void walk(const Graph& graph, const std::function<void(Node&)>& visit);
/// Values a node uses: operands, and what its regions capture from outside of them.
[[nodiscard]] std::vector<Value> captures(const Node& node);
/// Number of uses of each value in the graph and below (results count as uses).
[[nodiscard]] ValueMap<int> count_uses(const Graph& graph);
/// Removes nodes without uses (not `check.*`, not collectives), also in regions.
bool remove_dead_nodes(Graph& graph);

/// Copies nodes into another graph; `map` holds what operands become and receives the results.
/// Operands that are not in the map stay (captures).
Node* clone_node(const Node& node, Graph& into, ValueMap<Value>& map, Node* before = nullptr);
/// Copies all nodes of `from` (a body with its arguments mapped beforehand) and returns its mapped results.
std::vector<Value> clone_body(const Graph& from, Graph& into, ValueMap<Value>& map,
                              Node* before = nullptr);
/// A copy of a region, with its own arguments.
[[nodiscard]] std::unique_ptr<Graph> clone_graph(const Graph& graph,
                                                 const ValueMap<Value>& outer = {});
[[nodiscard]] std::unique_ptr<Module> clone_module(const Module& module);

}  // namespace partita::ir
