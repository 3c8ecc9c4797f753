// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Follows a placement's axis through a graph, forward and backward, by the factor rules of its
// nodes: where the axis lies in each value, which nodes are independent along it, which reduce it,
// and which stop it and why.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "partita/ir/factor_transform.hpp"

namespace partita::ir {

/// A node where an axis stops.
struct AxisStop {
  const ir::Node* node = nullptr;
  std::string why;
  bool is_reduced_inside = false;  ///< a region of the node reduces it
};

class AxisTracker {
 public:
  AxisTracker(const ir::Graph& graph, std::int64_t size) : graph_(graph), size_(size) {}

  /// Says where the axis lies in a value.
  void seed(ir::Value v, ir::AxisPosition position);
  /// Follows all seeds to a fixed point.
  void run();

  [[nodiscard]] const ir::ValueMap<ir::AxisPosition>& positions() const { return positions_; }
  [[nodiscard]] std::optional<ir::AxisPosition> position(ir::Value v) const;
  /// Flow of a node that the axis passes or that reduces it; null for others.
  [[nodiscard]] const ir::AxisFlow* flow(const ir::Node* node) const;
  /// Where the axis stops, in order.
  [[nodiscard]] std::vector<AxisStop> stops() const;
  [[nodiscard]] std::int64_t parallel_nodes() const;
  /// Whether some stablehlo.reduce reduces the axis.
  [[nodiscard]] bool is_reduced() const;

 private:
  bool visit(ir::Node& node);
  bool set(ir::Value v, const ir::AxisPosition& position);

  const ir::Graph& graph_;
  std::int64_t size_;
  ir::ValueMap<ir::AxisPosition> positions_;
  std::map<const ir::Node*, ir::AxisFlow> flows_;
  std::map<const ir::Node*, AxisStop> stopped_;
};

/// Ops that carry placements already and end an axis' way: mr.*, composites.
[[nodiscard]] bool is_axis_boundary(const ir::Node& node);

}  // namespace partita::ir
