// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One mesh for several: axes of which all axes of some meshes, and the parts of axes that a program names, are made.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// A mesh with the parts of its axes that are named somewhere.
struct NamedMesh {
  ir::Mesh mesh;
  std::vector<ir::AxisRef> parts;
};

class RefinedAxes {
 public:
  /// The mesh of the fewest axes, with the devices in the order of the first mesh, such that every axis and every part
  /// is one or several of its axes.  An axis that is a whole one of the meshes has its name (an axis of the first
  /// mesh before others, a placement before both); of others, parts of axis "x" of the first mesh are called "x.0", "x.1"
  /// and on, the major first.  Nothing where there is no such mesh, where the meshes differ in the number of their
  /// devices, or where a placement would be more than one axis.
  static std::optional<RefinedAxes> of(const std::vector<NamedMesh>& meshes,
                                       const std::set<std::string>& placements);

  [[nodiscard]] const ir::Mesh& mesh() const { return mesh_; }
  /// What an axis or a part of one of the meshes is, the major axis first; none of what has the extent 1.
  [[nodiscard]] std::vector<ir::AxisRef> axes(const ir::Mesh& of, const ir::AxisRef& ref) const;

 private:
  explicit RefinedAxes(ir::Mesh mesh) : mesh_(std::move(mesh)) {}
  [[nodiscard]] std::optional<std::vector<std::size_t>> find(const ir::Mesh& of,
                                                             const ir::AxisRef& ref) const;
  void name_wholes(const ir::Mesh& of, const std::set<std::string>& allowed);
  void name_parts(const ir::Mesh& first, const std::set<std::string>& placements);
  [[nodiscard]] bool is_taken(const std::string& name) const {
    return mesh_.find(name).has_value();
  }

  ir::Mesh mesh_;
};

}  // namespace partita::passes
