// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What can be computed block by block along an axis so that what is large in it is never stored whole: found
// from a product that is much larger than its operands, along its users to results that are small again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "partita/ir/factor_transform.hpp"
#include "passes/analysis/graph_uses.hpp"

namespace partita::passes {

/// Nodes of one graph along an axis, and where it lies in what they read and make.
struct RowRegion {
  std::int64_t blocks = 1;  ///< extent of the axis: blocks that are computed one after the other
  std::int64_t large = 0;   ///< elements from which a value is not stored
  std::vector<ir::Node*> nodes;  ///< in the graph's order
  std::map<const ir::Node*, ir::AxisFlow> flows;
  /// Nodes that depend on a sum of the region; each loop makes the others (constants, indices) for itself.
  std::set<const ir::Node*> own;
  /// How often the inputs of a node left the region on their way, by its place, for every node up to the region's last that
  /// depends on its own ones; below zero for others.  What is in one stage can be one loop.
  std::vector<int> stages;
  int stage_count = 1;

  [[nodiscard]] bool contains(const ir::Node* node) const { return flows.contains(node); }
  [[nodiscard]] bool is_large(const ir::Value& v) const { return v.type().count() >= large; }
  [[nodiscard]] bool is_reduced(const ir::Node* node) const {
    return flows.at(node).kind == ir::FactorKind::reduced;
  }
};

/// The region of `product`, with the axis at `position` of its result; none where something large would leave it.
[[nodiscard]] std::optional<RowRegion> find_row_region(ir::Graph& graph, const GraphUses& uses,
                                                       ir::Node& product,
                                                       const ir::AxisPosition& position,
                                                       std::int64_t blocks);

}  // namespace partita::passes
