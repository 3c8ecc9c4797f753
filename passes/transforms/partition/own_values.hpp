// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values that shards have of their own along an axis of a mesh: pieces inside of a computation for devices, numbers of
// shards, and what is made of them up to a whole again.  A part of such a value is no part of one whole, so that the axis
// must not cut it.
#pragma once

#include <unordered_set>

#include "passes/transforms/partition/mesh_cut.hpp"

namespace partita::passes {

class OwnValues {
 public:
  OwnValues(const ir::Graph& body, const MeshCut& cut);

  [[nodiscard]] bool contains(ir::Value v) const { return own_.contains(v); }
  /// Whether every shard must compute all of a node: it has such values, or is a collective of shards that differ
  /// along the axis.
  [[nodiscard]] bool holds_whole(const ir::Node& node) const;

 private:
  bool add(ir::Value v) { return own_.insert(v).second; }
  bool add_if(bool is_own, ir::Value v) { return is_own && add(v); }
  bool add_all(const ir::Graph& graph);
  bool visit(const ir::Graph& graph);
  bool visit(ir::Node& node);
  bool visit_loop(ir::Node& node);
  bool visit_branches(ir::Node& node);
  bool visit_map(ir::Node& node);
  [[nodiscard]] bool has_own_operand(const ir::Node& node) const;
  [[nodiscard]] bool makes_own(const ir::Node& node) const;

  MeshCut cut_;
  std::unordered_set<ir::Value, ir::ValueHash> own_;
};

}  // namespace partita::passes
