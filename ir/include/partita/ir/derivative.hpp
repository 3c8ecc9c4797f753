// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What an op says about its derivative.  A rule emits ops, never expansions of them, so that
// derivatives have derivatives and placement ops stay placement ops.  Tangents and cotangents have
// the type of the value they belong to; an absent one (a Value without node) is zero and makes no
// op.  Integers and booleans have none.  Cotangents are paired with tangents as re(c·t), without
// conjugation: a holomorphic f multiplies both by f'.
//
// An op states one of: in which operands it is linear, a vjp, a jvp and a vjp, or why it has none.
// Forward mode uses, in this order: `jvp`, linearity, the transpose of what `vjp` emits.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

using Values = std::vector<Value>;

/// What a sweep over a graph knows; implemented by the engine, used by rules of region ops.
class Sweep {
 public:
  virtual ~Sweep() = default;
  /// Forward: the tangent of any value that the node can see; absent when zero.
  [[nodiscard]] virtual Value tangent(Value v) const = 0;
  /// Reverse: whether the cotangent of a value is of use.
  [[nodiscard]] virtual bool is_active(Value v) const = 0;
  /// Reverse: adds to the cotangent of a value (of one that a region captures).
  virtual void accumulate(Value v, Value cotangent) = 0;
  /// The node's results are computed by other nodes from now on, which the rule has made: in forward
  /// mode anywhere, in reverse mode before the node.
  virtual void replace(Node& node, std::span<const Value> results) = 0;
};

/// What a rule works with.  Ops are appended to `graph`.
class DerivativeContext {
 public:
  DerivativeContext(Node& primal, Graph& into, Sweep& sweep, const std::vector<std::string>& path)
      : node(primal), graph(into), sweep(sweep), path(path) {}

  Node& node;    ///< its operands and results are values of `graph` (or captured by it)
  Graph& graph;  ///< where the derivative goes
  Sweep& sweep;
  const std::vector<std::string>& path;  ///< "@loss", "map", …: where the node is

  /// Whether the vjp is asked for the cotangent of operand k.
  [[nodiscard]] bool wanted(std::size_t k) const { return sweep.is_active(node.operand(k)); }
  /// "no derivative of OP (in PATH): reason", a user error.
  [[noreturn]] void refuse(const std::string& reason) const;

  // Making ops.
  Value op(std::string_view name, Values operands, Dict attrs = {}) const;
  Value op(std::string_view name, Values operands, Dict attrs, const Type& result) const;
  /// The node's op, with its attributes, regions and result types, on other operands.
  Values same(Values operands) const;
  [[nodiscard]] Value splat(const Type& type, double value) const;
  [[nodiscard]] Value zeros(const Type& type) const { return splat(type, 0); }
  /// `v`, or zeros of the type where it is absent.
  [[nodiscard]] Value or_zeros(Value v, const Type& type) const { return v ? v : zeros(type); }
  /// Sum of two values, either of which may be absent.
  [[nodiscard]] Value add(Value a, Value b) const;
  [[nodiscard]] Value negate(Value v) const;
  [[nodiscard]] Value multiply(Value a, Value b) const;
  [[nodiscard]] Value select(Value condition, Value a, Value b) const;
  [[nodiscard]] Value compare(std::string_view direction, Value a, Value b) const;
  [[nodiscard]] Value reshape(Value v, const Dims& dims) const;
  [[nodiscard]] Value transpose(Value v, const I64s& permutation) const;
  [[nodiscard]] Value convert(Value v, DType dtype) const;
  /// broadcast_in_dim: dimension d of `v` becomes dimension at[d] of `dims`.
  [[nodiscard]] Value broadcast(Value v, const Dims& dims, const I64s& at) const;
  /// Sum over dimensions, which are dropped.
  [[nodiscard]] Value sum(Value v, const I64s& dimensions) const;
  [[nodiscard]] Value iota(const Type& type, std::int64_t dimension) const;
  /// An mr.map over operands with the axis in front, by a body from one partition's values.
  using MapBody = std::function<Values(const DerivativeContext&, const Values&)>;
  [[nodiscard]] Values map(const std::string& placement, std::int64_t n, const Values& operands,
                           const MapBody& body) const;
};

/// From the tangents of operands to those of results.
using JvpFn = std::function<Values(DerivativeContext&, const Values& tangents)>;
/// From the cotangents of results to those of operands; only wanted ones matter, and where the
/// returned list is shorter the rest is zero.
using VjpFn = std::function<Values(DerivativeContext&, const Values& cotangents)>;

struct Derivative {
  enum class Linear : std::uint8_t {
    none,
    jointly,  ///< in the listed operands together: op(…, a + b, …) = op(…, a, …) + op(…, b, …)
    separately,  ///< in each of the listed operands while the others are fixed
  } linear = Linear::none;
  std::vector<int> operands;  ///< of `linear`; empty: all
  JvpFn jvp;
  VjpFn vjp;
  /// Why there is no derivative; "no rule yet" where nobody has said.
  std::string reason = "no rule yet";

  /// Linear in the operands (empty: all) together; the transpose is `vjp`.
  [[nodiscard]] static Derivative linear_in(std::vector<int> operands, VjpFn vjp);
  /// Linear in each of the operands.
  [[nodiscard]] static Derivative linear_in_each(std::vector<int> operands, VjpFn vjp);
  [[nodiscard]] static Derivative rules(JvpFn jvp, VjpFn vjp);
  [[nodiscard]] static Derivative transposed(VjpFn vjp);  ///< forward mode follows from it
  [[nodiscard]] static Derivative none(std::string reason);

  [[nodiscard]] bool exists() const { return vjp != nullptr; }
};

/// Whether values of this type have tangents.
[[nodiscard]] inline bool has_tangent(const Type& type) {
  return !type.is_token && (is_float(type.dtype) || is_complex(type.dtype));
}

// --- For rules of ops with regions, and for rules that differentiate what they emit ---------------

/// The primal and tangent values of a region.
struct ForwardRegion {
  Values results, tangents;
};
/// Copies the nodes of `from` into `into`, with the ops for tangents.  `map` holds values for the
/// arguments of `from`, others stand for themselves; `tangents` those of values of `into`, beside
/// what the sweep around knows.
ForwardRegion forward_region(const DerivativeContext& around, const std::string& step,
                             const Graph& from, Graph& into, ValueMap<Value>& map,
                             const ValueMap<Value>& tangents);

/// Appends to `graph` what computes the cotangents of `wrt` (values of the graph, or captured by it)
/// from those of `outputs`.  Only nodes from position `first` on are differentiated.
Values reverse_region(const DerivativeContext& around, const std::string& step, Graph& graph,
                      std::span<const Value> outputs, std::span<const Value> cotangents,
                      std::span<const Value> wrt, std::size_t first = 0);

/// The jvp that follows from the node's vjp, by transposing what that emits.
Values transposed_jvp(const DerivativeContext& c, const Values& tangents);

/// Which results of a node depend differentiably on what is active.
[[nodiscard]] std::vector<bool> active_results(const Node& node,
                                               const std::function<bool(Value)>& is_active);

/// A region with its reverse as two graphs.  `forward` has the arguments of the region and returns
/// its results, then those residuals that it computes.  `backward` has arguments for the residuals,
/// then for cotangents of results, and returns cotangents; it computes again what costs no more to
/// compute than to keep.
struct SplitRegion {
  std::unique_ptr<Graph> forward, backward;
  /// By residual: the argument of the region that it is, or -1 for the next further result of
  /// `forward`.
  std::vector<int> residuals;
};
/// `graph` returns the primal results, then cotangents, which depend on the arguments from
/// `first_seed` on.
[[nodiscard]] SplitRegion split_region(const Graph& graph, std::size_t primal_results,
                                       int first_seed);

}  // namespace partita::ir
