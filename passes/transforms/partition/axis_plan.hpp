// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where one axis of a mesh shall cut the values of a function: what arguments, results, constraints and
// pieces say, followed through all nodes by their factors until nothing changes.  What is said of dimensions with a
// priority ("p1") comes in when what has been said with the earlier ones changes nothing any more; none is 0.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "partita/ir/factor_transform.hpp"
#include "partita/ir/graph.hpp"
#include "partita/ir/sharding.hpp"
#include "passes/transforms/partition/own_values.hpp"

namespace partita::passes {

/// What said first that the axis cuts a value: an argument's or result's own sharding, or a node.
struct AxisReason {
  enum class Source : std::uint8_t { argument, result, node } source;
  int port = 0;                    ///< which argument or result
  const ir::Node* node = nullptr;  ///< source node: valid as long as the function is not changed
};
/// "argument 0", "stablehlo.add (%7)".
[[nodiscard]] std::string to_text(const AxisReason& reason);

/// A value's place along the axis.
struct AxisPlace {
  ir::AxisPosition at;
  AxisReason reason;
};

class AxisPlan {
 public:
  /// Whether an argument of the function may be cut at a position.
  using MayCut = std::function<bool(int argument, const ir::AxisPosition& at)>;
  AxisPlan(const ir::Function& f, const MeshCut& cut, MayCut may_cut);

  /// Nothing: each shard holds the whole.
  [[nodiscard]] std::optional<ir::AxisPosition> position(ir::Value v) const;
  /// The same with its reason; null where each shard holds the whole.
  [[nodiscard]] const AxisPlace* place(ir::Value v) const;
  /// What a sharding says of a value of this type; nothing where it does not cut along the axis, or not so
  /// that pieces are contiguous.
  [[nodiscard]] std::optional<ir::AxisPosition> said(const ir::Sharding& sharding,
                                                     const Type& type) const;
  /// Whether every shard must compute all of a node.
  [[nodiscard]] bool holds_whole(ir::Node& node) const { return own_.holds_whole(node); }
  [[nodiscard]] const MeshCut& cut() const { return cut_; }

 private:
  void seed(const ir::Function& f, std::int64_t priority);
  void seed_constraints(const ir::Graph& graph, std::int64_t priority);
  void seed_results(const ir::Graph& graph, std::int64_t priority);
  void seed_pieces(const ir::Graph& graph);
  void state(ir::Value v, const ir::Sharding& sharding, std::int64_t priority,
             const AxisReason& why);
  bool set(ir::Value v, const std::optional<ir::AxisPosition>& at, const AxisReason& why);
  bool unite(ir::Value a, ir::Value b, const AxisReason& why);
  bool unite_placed(ir::Value whole, ir::Value part, std::int64_t in_axis, const AxisReason& why);
  bool visit(ir::Node& node);
  bool visit_regions(ir::Node& node);
  bool visit_map(ir::Node& node);
  bool visit_indexed(ir::Node& node);
  bool visit_windows(ir::Node& node);
  bool visit_ordered(ir::Node& node);
  bool visit_plain(ir::Node& node);
  bool sweep(const ir::Graph& graph, bool backwards);
  void run(const ir::Graph& graph);

  MeshCut cut_;
  const ir::Graph& body_;
  MayCut may_cut_;
  OwnValues own_;
  ir::ValueMap<AxisPlace> places_;
  ir::ValueMap<bool> closed_;   ///< values that the axis must not cut
  ir::ValueMap<bool> waiting_;  ///< those that it must not cut before a later priority
  bool states_arguments_ = true;
  bool follows_back_ = false;  ///< from results to operands
};

/// Whether a dimension of this extent is cut into runs of its order as long as one axis alone makes them.
[[nodiscard]] bool cuts_in_order(const ir::AxisPosition& at, std::int64_t n, std::int64_t extent);

/// The flow by one known position alone, of an operand or of a result.
[[nodiscard]] ir::AxisFlow flow_by(const ir::Node& node, std::int64_t n, std::size_t k,
                                   bool is_operand, const ir::AxisPosition& at);
/// The position in the whole of a map's operand or result, whose placement's axis is `placed` (-1: none), by
/// that in its part.
[[nodiscard]] std::optional<ir::AxisPosition> outside_map(std::optional<ir::AxisPosition> inside,
                                                          std::int64_t placed);

}  // namespace partita::passes
