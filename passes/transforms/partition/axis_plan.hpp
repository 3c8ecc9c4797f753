// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where one axis of a mesh shall cut the values of a function: what arguments, results, constraints and
// pieces say, followed through all nodes by their factors until nothing changes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "partita/ir/factor_transform.hpp"
#include "partita/ir/graph.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// An axis of a mesh, with the axes that are still to be cut along.
struct MeshCut {
  const ir::Mesh& mesh;
  std::size_t axis = 0;  ///< index into mesh.axes; those before it have been cut along

  [[nodiscard]] const std::string& name() const { return mesh.axes[axis].name; }
  [[nodiscard]] std::int64_t size() const { return mesh.axes[axis].size; }
};

/// What a value's place along the axis is, and where that was said first.
struct AxisPlace {
  ir::AxisPosition at;
  std::string why;
};

class AxisPlan {
 public:
  /// Whether an argument of the function may be cut at a position.
  using MayCut = std::function<bool(int argument, const ir::AxisPosition& at)>;
  AxisPlan(const ir::Function& f, const MeshCut& cut, MayCut may_cut);

  /// Nothing: each shard holds the whole.
  [[nodiscard]] std::optional<ir::AxisPosition> position(ir::Value v) const;
  [[nodiscard]] const std::string& why(ir::Value v) const;
  /// What a sharding says of a value of this type; nothing where it does not cut along the axis, or not so
  /// that pieces are contiguous.
  [[nodiscard]] std::optional<ir::AxisPosition> said(const ir::Sharding& sharding,
                                                     const Type& type) const;
  [[nodiscard]] const MeshCut& cut() const { return cut_; }

 private:
  void seed(const ir::Function& f);
  void seed_nodes(const ir::Graph& graph);
  void state(ir::Value v, const ir::Sharding& sharding, const std::string& why);
  bool set(ir::Value v, const std::optional<ir::AxisPosition>& at, const std::string& why);
  bool unite(ir::Value a, ir::Value b, const std::string& why);
  bool unite_placed(ir::Value whole, ir::Value part, std::int64_t in_axis, const std::string& why);
  bool visit(ir::Node& node);
  bool visit_regions(ir::Node& node);
  bool visit_map(ir::Node& node);
  bool visit_scatter(ir::Node& node);
  bool visit_plain(ir::Node& node);
  bool sweep(const ir::Graph& graph, bool backwards);
  void run(const ir::Graph& graph);

  MeshCut cut_;
  const ir::Graph& body_;
  MayCut may_cut_;
  ir::ValueMap<AxisPlace> places_;
  ir::ValueMap<bool> closed_;  ///< values that the axis must not cut
  bool states_arguments_ = true;
  bool follows_back_ = false;  ///< from results to operands
};

/// Whether a dimension of this extent is cut into runs of its order as long as one axis alone makes them.
[[nodiscard]] bool cuts_in_order(const ir::AxisPosition& at, std::int64_t n, std::int64_t extent);

/// Name of a node for messages and reasons: "stablehlo.add (%7)".
[[nodiscard]] std::string described(const ir::Node& node);

}  // namespace partita::passes
