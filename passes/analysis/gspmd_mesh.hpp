// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Texts of GSPMD number devices and name no axes: "{devices=[2,4]<=[8]}".  Here they become axes of one mesh.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// A text and the rank of the value of which it is said.
struct GspmdText {
  std::string text;
  std::int64_t rank = 0;
};

class GspmdMesh {
 public:
  /// The mesh of the fewest axes, of devices in the order of their numbers, along which each of the texts cuts every
  /// dimension by whole axes; nothing where there is none.  Axes are called "devices", or "d0", "d1" and on from
  /// the one of the largest stride.
  static std::optional<GspmdMesh> of(const std::vector<GspmdText>& texts, std::int64_t devices);

  [[nodiscard]] const ir::Mesh& mesh() const { return mesh_; }
  /// What the text, one of those that the mesh was made of, says; dimensions are closed.
  [[nodiscard]] ir::Sharding sharding(const GspmdText& said) const;

 private:
  explicit GspmdMesh(ir::Mesh mesh) : mesh_(std::move(mesh)) {}
  ir::Mesh mesh_;
};

}  // namespace partita::passes
