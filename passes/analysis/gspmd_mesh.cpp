// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/gspmd_mesh.hpp"

#include "partita/base/error.hpp"
#include "passes/analysis/device_axes.hpp"

namespace partita::passes {

namespace {

/// Of each dimension of a value, which piece the devices hold.
std::vector<DevicePieces> pieces_of(const GspmdText& said, std::int64_t devices) {
  const ir::Cut cut(said.text, said.rank, devices);
  std::vector<DevicePieces> all;
  for (std::size_t d = 0; d < std::size_t(said.rank); ++d) {
    DevicePieces& pieces = all.emplace_back();
    pieces.count = cut.pieces()[d];
    for (std::int64_t device = 0; device < devices; ++device)
      pieces.piece.push_back(cut.piece_of(device)[d]);
  }
  return all;
}

ir::Mesh mesh_of(const Dims& extents) {
  ir::Mesh mesh;
  for (const std::int64_t extent : extents)
    mesh.axes.push_back(
        {.name = extents.size() == 1 ? std::string("devices") : cat("d", mesh.axes.size()),
         .size = extent});
  return mesh;
}

}  // namespace

std::optional<GspmdMesh> GspmdMesh::of(const std::vector<GspmdText>& texts, std::int64_t devices) {
  std::vector<DevicePieces> all;
  for (const GspmdText& said : texts)
    for (DevicePieces& pieces : pieces_of(said, devices)) all.push_back(std::move(pieces));
  const auto extents = fewest_axes(all, devices);
  if (!extents) return std::nullopt;
  return GspmdMesh(mesh_of(*extents));
}

ir::Sharding GspmdMesh::sharding(const GspmdText& said) const {
  Dims extents;
  for (const ir::MeshAxis& axis : mesh_.axes) extents.push_back(axis.size);
  ir::Sharding sharding{.mesh = "mesh"};
  for (const DevicePieces& pieces : pieces_of(said, mesh_.size())) {
    const auto axes = axes_of(pieces, extents);
    PARTITA_ASSERT(axes.has_value());
    ir::DimSharding& dim = sharding.dims.emplace_back();
    for (const std::size_t k : *axes) dim.axes.push_back({.name = mesh_.axes[k].name});
  }
  return sharding;
}

}  // namespace partita::passes
