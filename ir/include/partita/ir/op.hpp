// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What an op is: one OpDef, registered once, from which verification, inference, interpretation,
// kernels, batching, outlining, documentation and tests follow.  Elementwise ops are rows of
// scalar/elementwise.def; every other op is one file or folder in ops/ whose
// function `register_<stem>` adds its OpDefs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/derivative.hpp"
#include "partita/ir/factors.hpp"
#include "partita/ir/graph.hpp"
#include "partita/scalar/expr.hpp"

namespace partita::scalar {
struct ElementwiseRow;
}

namespace partita::ir {

using namespace scalar;

class Interpreter;

// --- Attributes of an op ------------------------------------------------------------------------

enum class AttrKind : std::uint8_t {
  any,
  boolean,
  i64,
  i64s,
  bools,
  text,
  enumeration,
  symbol,
  type,
  dense,
  list,
  dict
};

/// How entries of an integer attribute relate to dimensions; what batching and outlining adjust.
struct DimRole {
  enum class Kind : std::uint8_t {
    none,
    per_dim,    ///< one entry for each dimension of `of`
    dim_index,  ///< each entry names a dimension of `of`
  } kind = Kind::none;
  enum class Side : std::uint8_t { operand, result } side = Side::operand;
  int of = 0;  ///< operand or result number
  /// per_dim: the entry that leaves a further dimension alone (a further dim_index role of the same
  /// attribute says it instead, as transpose's permutation does).
  enum class Fill : std::uint8_t { zero, one, extent } fill = Fill::zero;
};

struct AttrSpec {
  std::string name;
  AttrKind kind = AttrKind::any;
  bool required = true;
  /// Roles: transpose's permutation is per_dim of the result and dim_index of the operand.
  std::vector<DimRole> roles;
  /// Printed nested, as `group = #structure<name = …>`; empty: directly.
  std::string group, structure;
  std::vector<std::string> allowed;  ///< for enumerations: values
  std::string enum_kind;             ///< for enumerations: "comparison_direction"
};

// --- Verification and inference -----------------------------------------------------------------

/// What `infer` sees.  `fail` throws a located user error "OP: …".
struct InferContext {
  std::string_view op;
  std::span<const Type> operands;
  const Dict& attrs;
  std::span<const std::unique_ptr<Graph>> regions;
  SourceLocation location;
  const Module* module = nullptr;  ///< null where there is none (built nodes)
  /// Types given in the text, for ops whose result type cannot be inferred (constant, iota, convert).
  std::span<const Type> declared_results;

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  [[noreturn]] void fail(const std::string& message) const;
  void expect(bool condition, const std::string& expected, const std::string& found) const {
    if (!condition) fail(expected, found);
  }
  /// The declared result types; fails when there are none.
  [[nodiscard]] std::span<const Type> declared() const;
};
using InferFn = std::function<std::vector<Type>(const InferContext&)>;
/// Makes what the op stands for, before `before`, and gives the node that has its results.
using ReplaceFn = std::function<Node*(const InferContext& use, Graph& into,
                                      std::span<const Value> operands, Node* before)>;

// --- Interpretation -----------------------------------------------------------------------------

using Tensor = std::shared_ptr<const HostArray>;

struct EvalContext {
  const Node& node;
  std::span<const Tensor> operands;
  Interpreter& interpreter;
  /// Runs region k with these arguments (captures are found by the interpreter).
  [[nodiscard]] std::vector<Tensor> run_region(std::size_t k, std::vector<Tensor> arguments) const;
  [[nodiscard]] const Type& result_type(int k = 0) const {
    return node.result_types()[std::size_t(k)];
  }
};
using EvalFn = std::function<std::vector<Tensor>(const EvalContext&)>;

// --- Kernels ------------------------------------------------------------------------------------

/// Element of operand k at an index (one expression per dimension).
using LoadFn = std::function<scalar::ExprId(int operand, std::span<const scalar::ExprId> index)>;
/// Element of result `result` at `index`, in terms of elements of operands.  Composable: fusion
/// supplies a `load` that inlines producers.  Where reading outside of an operand is possible,
/// `choose` guards the load.
using LowerFn =
    std::function<scalar::ExprId(const Node& node, int result, scalar::ExprPool& pool,
                                 std::span<const scalar::ExprId> index, const LoadFn& load)>;

enum class KernelShape : std::uint8_t {
  none,         ///< has no kernel: control flow, collectives, removed by a pass before
  loops,        ///< `lower` gives each element
  reduce,       ///< region combines along `dimensions`
  contraction,  ///< dot_general
  attention,    ///< mr.attention
  scatter,      ///< updates in place of a copy of the operand
  window,     ///< sliding windows: convolution, reduce_window (also as a scan), select_and_scatter
  procedure,  ///< several kernels, laid out by the function that lowering registers for the op
};

/// Where elements of results come from: what passes may fold, move, repeat or look through.
enum class Elements : std::uint8_t {
  computed,     ///< from elements of operands in a way of the op's own
  elementwise,  ///< from those of the operands at the same index (of scalars: from the scalar)
  generated,    ///< from their index alone: constants, counts
  passed,       ///< result k is operand k, marked or placed
  viewed,       ///< each is one of operand 0's, at an index that costs nothing
  gathered,     ///< each is one of operand 0's, where elements of other operands say
  joined,       ///< each is one of some operand's
};

using FactorsFn = std::function<FactorRule(const Node&)>;

// --- A dimension more or one less (ir/axes) -----------------------------------------------------

struct BatchJob;
struct RemovalJob;
struct Removal;
using BatchFn = void (*)(const BatchJob&);
using RemovalFn = Removal (*)(const RemovalJob&);

// --- The definition -----------------------------------------------------------------------------

struct OpDef {
  std::string name;  ///< "stablehlo.transpose"
  std::string doc;
  std::vector<AttrSpec> attrs;
  InferFn infer;
  ReplaceFn expand;  ///< the op stands for others, and no node of it exists; null for most
  EvalFn eval;       ///< null: cannot be interpreted directly (removed by a pass); `doc` says so
  KernelShape shape = KernelShape::none;
  LowerFn lower;  ///< for KernelShape::loops
  Elements elements = Elements::computed;
  /// What an element takes, in simple operations (of a row: its column); absent: nothing where elements
  /// are generated, passed or viewed, so that computing them again is free, else 1.
  std::optional<double> cost;
  FactorsFn factors;  ///< null: every dimension needs replication
  /// Makes the node with a further leading dimension; null: follows from dimension roles, where there are
  /// factors.
  BatchFn batch = nullptr;
  /// Makes the node for one index of an axis; null: follows from dimension roles.
  RemovalFn remove_axis = nullptr;
  const ElementwiseRow* row = nullptr;  ///< elementwise ops
  bool regions_capture = false;         ///< while, if, case
  bool has_side_effect = false;         ///< check.*, collectives: kept and in order
  bool asks_process =
      false;  ///< depends on the process of an SPMD program: its id, what others send
  /// Result that may share the buffer of an operand when that is its last use: pairs (result, operand).
  std::vector<std::pair<int, int>> may_alias;
  Derivative derivative;
  /// Small programs (function text with @main and no attributes needed) for tests and fuzzing:
  /// StableHLO text of a module; inputs are drawn at random.
  std::vector<std::string> samples;

  [[nodiscard]] double element_cost() const;
};

class OpRegistry {
 public:
  /// All ops of partita.
  [[nodiscard]] static const OpRegistry& instance();
  void add(OpDef def);  ///< a name twice is an internal error
  [[nodiscard]] const OpDef* find(std::string_view name) const;
  /// A user error naming the nearest known op when `name` is unknown.
  [[nodiscard]] const OpDef& get(std::string_view name, const SourceLocation& where = {}) const;
  [[nodiscard]] std::vector<const OpDef*> all() const;  ///< by name

 private:
  std::map<std::string, std::unique_ptr<OpDef>, std::less<>> ops_;
};
/// Generated: calls every register_<stem> of ops/.
void register_all_ops(OpRegistry& registry);

/// Verifies and infers, then appends the node (or inserts it before `before`).
Node* create(Graph& graph, std::string_view op, std::vector<Value> operands, Dict attrs = {},
             std::vector<std::unique_ptr<Graph>> regions = {},
             std::span<const Type> declared_results = {}, Node* before = nullptr,
             const SourceLocation& location = {});
/// Shorthand for one result.
Value create_value(Graph& graph, std::string_view op, std::vector<Value> operands, Dict attrs = {},
                   std::span<const Type> declared_results = {}, Node* before = nullptr);
/// A constant node.
Value create_constant(Graph& graph, DenseRef value, Node* before = nullptr);
Value create_splat(Graph& graph, const Type& type, double value, Node* before = nullptr);

/// Verifies every node again (types as inferred, operands defined before use, isolation of regions).
void verify(const Module& module);

/// Factor rule of a node: the op's, or everything replicated.
[[nodiscard]] FactorRule factor_rule(const Node& node);

}  // namespace partita::ir
