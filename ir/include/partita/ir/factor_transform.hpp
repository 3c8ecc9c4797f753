// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batching and outlining, derived from an op's factors and from the dimension roles of its
// attributes: `add_batch_dim` re-creates a node with a new leading dimension, `flow_axis` says where
// an axis goes through a node, `remove_dim` re-creates a node for one index of an axis.  Both work on
// any graph (or `Graph` being built); neither changes the node they are given.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {

// --- Adding a dimension -------------------------------------------------------------------------

/// A value of the new graph, and whether it carries the batch dimension (as dimension 0).
struct BatchedValue {
  Value value;
  bool batched = false;
};
/// From values of the old graph.  Values that are not in it stand for themselves, unbatched.
using BatchMap = ValueMap<BatchedValue>;
[[nodiscard]] BatchedValue look_up(const BatchMap& map, Value v);

struct BatchContext {
  Graph& into;
  std::int64_t size;  ///< extent of the batch dimension
  Node* before = nullptr;
  /// Nodes that are batched in their own way (mr.partition_index): returns whether it has set the
  /// node's results in the map.  Also asked for nodes in regions (with the region as `into`).
  std::function<bool(const Node&, BatchMap&, const BatchContext&)> special = {};
};

/// Appends what computes `node` on every slice at once, and sets its results in `map`.  Operands (and
/// captures) are looked up in `map`; when none is batched the node is copied and its results are not
/// batched.  Control flow: carries of `while` are batched to a fixed point; a batched predicate runs
/// the loop while any slice's holds and masks slices that are done; a batched index of `case` or `if`
/// selects among all branches.  A node without rule is a user error that names it: ask `why_not_batched`.
void add_batch_dim(const Node& node, BatchMap& map, const BatchContext& context);

/// All nodes of a body whose arguments are in `map`; returns the mapped results.
std::vector<BatchedValue> batch_body(const Graph& body, BatchMap& map, const BatchContext& context);

/// `v` with the batch dimension: itself, or broadcast.
[[nodiscard]] Value batched(const BatchedValue& v, const BatchContext& context);

/// Empty when every node of the graph (and below) has a batching rule; else which has none.  Nodes
/// for which `handled` holds are passed over.
[[nodiscard]] std::string why_not_batched(const Graph& graph,
                                          const std::function<bool(const Node&)>& handled = {});

// --- Following and removing an axis ------------------------------------------------------------

/// Where an axis of extent n lies in a value: dimension `dim` has extent outer * n * inner, and the
/// index along it is (o * n + i) * inner + q for index i of the axis.  Where outer is 1 the dimension may
/// have fewer elements than n * inner: the last indices then have fewer of them, or none.
struct AxisPosition {
  int dim = 0;
  std::int64_t outer = 1, inner = 1;
  bool operator==(const AxisPosition&) const = default;
};
/// Whether the last indices of the axis have fewer elements of a dimension of this extent.
[[nodiscard]] inline bool is_ragged(const AxisPosition& p, std::int64_t n, std::int64_t extent) {
  return p.outer * n * p.inner > extent;
}
using AxisPositions = std::vector<std::optional<AxisPosition>>;

/// How an axis passes through a node.
struct AxisFlow {
  AxisPositions operands,
      results;  ///< where it must lie in each; absent: the value does not have it
  ValueMap<AxisPosition> captures;  ///< the same for values that regions of the node capture
  FactorKind kind = FactorKind::parallel;
  std::optional<Combiner> combiner;  ///< when reduced: see Factor
  std::string why;  ///< not empty: it cannot pass, and the reason; the rest is meaningless then
  bool is_reduced_inside = false;  ///< why: a region of the node reduces it
};

/// Whether some operand, result or captured value has the axis.
[[nodiscard]] bool is_touched(const AxisFlow& flow);

/// What is known of a value that is captured.
using KnownPosition = std::function<std::optional<AxisPosition>(Value)>;

/// The flow that agrees with what is known (at least one position; unknown ones are absent; lists
/// may be empty when nothing is known on that side).  Through `while`, `case` and `if` the axis
/// passes where it passes all of their regions without being reduced there.
[[nodiscard]] AxisFlow flow_axis(const Node& node, std::int64_t n, const AxisPositions& operands,
                                 const AxisPositions& results, const KnownPosition& captured = {});

struct RemovalContext {
  Graph& into;
  Node* before = nullptr;
  /// Makes (once) the i32 scalar that is the index along the axis; used where values depend on it.
  std::function<Value()> partition_index = {};
  /// The new value for one of the old graph that a region of the node captures, removed or shrunk as
  /// flow.captures says; without it, captured values stand for themselves.
  std::function<Value(Value)> capture = {};
};

struct Removal {
  std::vector<Value> results;
  std::string
      why;  ///< not empty: it cannot be removed, and the reason; nothing useful was made then
};

/// Re-creates `node` for one index of the axis.  `operands` are the new operands: those with a
/// position in `flow` have that dimension removed (where outer and inner are 1) or shrunk to
/// outer * inner; results come out likewise.  For a reduced axis the results are those of one
/// partition, to be combined by flow.combiner (initial values of a `reduce` are applied by each).
[[nodiscard]] Removal remove_dim(const Node& node, const AxisFlow& flow, std::int64_t n,
                                 std::span<const Value> operands, const RemovalContext& context);

/// Type of a value after the removal of an axis at `position`.
[[nodiscard]] Type type_without(const Type& type, const std::optional<AxisPosition>& position);

/// Dimensions of a value with its axis as one of its own.
struct SplitAxis {
  Dims dims;     ///< […, outer, n, inner, …], outer and inner where they are not 1
  int axis = 0;  ///< the dimension of extent n
};
[[nodiscard]] SplitAxis split_axis(const Dims& dims, const AxisPosition& position, std::int64_t n);

}  // namespace partita::ir
