// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How the whole of an argument or result is cut over a mesh, as axes are added one by one; in the end an
// sdy.sharding (decision 0024).
#pragma once

#include <vector>

#include "passes/transforms/partition/axis_plan.hpp"

namespace partita::passes {

class PortSharding {
 public:
  explicit PortSharding(Type whole);

  /// Cuts along an axis at a position of what a shard holds so far; false, and nothing changes, where pieces
  /// would not be of one size, in order, but for the last.
  bool add(const MeshCut& cut, const ir::AxisPosition& at);
  [[nodiscard]] bool can_add(const MeshCut& cut, const ir::AxisPosition& at) const;
  [[nodiscard]] bool is_cut() const;
  /// Says it on the argument or result; `mesh` is the symbol of the mesh.
  void write(ir::Dict& attrs, const std::string& mesh) const;

 private:
  /// A dimension is a product of these, the outermost first.
  struct Segment {
    std::string axis;  ///< empty: on the shard
    std::int64_t size = 1;
  };
  Type whole_;
  std::vector<std::vector<Segment>> dims_;
};

}  // namespace partita::passes
