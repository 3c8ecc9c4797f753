// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One axis of a mesh, along which a program is cut.
#pragma once

#include <string>

#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// An axis of a mesh, with the axes that are still to be cut along.
struct MeshCut {
  const ir::Mesh& mesh;
  std::size_t axis = 0;  ///< index into mesh.axes; those before it have been cut along
  /// As many bytes could travel in the time that a collective takes for none.
  double call_bytes = 0;

  [[nodiscard]] const std::string& name() const { return mesh.axes[axis].name; }
  [[nodiscard]] std::int64_t size() const { return mesh.axes[axis].size; }
};

/// Whether the node is at the edge of a computation for the devices of a mesh: mr.mesh_slice, mr.mesh_join.
[[nodiscard]] bool is_piece_op(const ir::Node& node);

}  // namespace partita::passes
