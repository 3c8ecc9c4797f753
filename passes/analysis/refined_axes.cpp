// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/refined_axes.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/mesh.hpp"
#include "passes/analysis/device_axes.hpp"

namespace partita::passes {

namespace {

/// Which index along an axis or a part of it the device at each place of the first mesh has.
DevicePieces pieces_along(const ir::Mesh& first, const ir::Mesh& of, const ir::AxisRef& ref) {
  const std::size_t axis = *of.find(ref.name);
  const std::int64_t whole = of.axes[axis].size, size = ref.size == 0 ? whole : ref.size;
  const std::int64_t inner = ref.size == 0 ? 1 : whole / (ref.pre * size);
  DevicePieces pieces{.piece = {}, .count = size};
  for (std::int64_t place = 0; place < first.size(); ++place) {
    const std::int64_t device =
        first.device_ids.empty() ? place : first.device_ids[std::size_t(place)];
    pieces.piece.push_back(of.coordinates(device)[axis] / inner % size);
  }
  return pieces;
}

std::set<std::string> names_of(const ir::Mesh& mesh) {
  std::set<std::string> names;
  for (const ir::MeshAxis& axis : mesh.axes) names.insert(axis.name);
  return names;
}

}  // namespace

std::optional<RefinedAxes> RefinedAxes::of(const std::vector<NamedMesh>& meshes,
                                           const std::set<std::string>& placements) {
  if (meshes.empty()) return std::nullopt;
  const ir::Mesh& first = meshes.front().mesh;
  std::vector<DevicePieces> all;
  for (const NamedMesh& named : meshes) {
    if (named.mesh.size() != first.size()) return std::nullopt;
    for (const ir::MeshAxis& axis : named.mesh.axes)
      all.push_back(pieces_along(first, named.mesh, {.name = axis.name}));
    for (const ir::AxisRef& part : named.parts)
      all.push_back(pieces_along(first, named.mesh, part));
  }
  const auto extents = fewest_axes(all, first.size());
  if (!extents) return std::nullopt;
  RefinedAxes refined({.axes = {}, .device_ids = first.device_ids});
  for (const std::int64_t extent : *extents)
    refined.mesh_.axes.push_back({.name = {}, .size = extent});
  for (const NamedMesh& named : meshes) refined.name_wholes(named.mesh, placements);
  refined.name_wholes(first, names_of(first));
  for (const NamedMesh& named : meshes) {
    std::set<std::string> allowed = names_of(named.mesh);
    for (const std::string& name : names_of(first)) allowed.erase(name);
    for (const std::string& name : placements) allowed.erase(name);
    refined.name_wholes(named.mesh, allowed);
  }
  refined.name_parts(first, placements);
  for (const NamedMesh& named : meshes)
    for (const ir::MeshAxis& axis : named.mesh.axes) {
      if (axis.size == 1 || !placements.contains(axis.name)) continue;
      const std::vector<ir::AxisRef> made = refined.axes(named.mesh, {.name = axis.name});
      if (made != std::vector{ir::AxisRef{.name = axis.name}}) return std::nullopt;
    }
  // They cut nothing, but placements may be among them.
  for (const ir::MeshAxis& axis : first.axes)
    if (axis.size == 1 && !refined.is_taken(axis.name)) refined.mesh_.axes.push_back(axis);
  return refined;
}

std::optional<std::vector<std::size_t>> RefinedAxes::find(const ir::Mesh& of,
                                                          const ir::AxisRef& ref) const {
  return axes_of(pieces_along(mesh_, of, ref), ir::axis_sizes(mesh_));
}

std::vector<ir::AxisRef> RefinedAxes::axes(const ir::Mesh& of, const ir::AxisRef& ref) const {
  const auto found = find(of, ref);
  PARTITA_ASSERT(found.has_value());
  std::vector<ir::AxisRef> axes;
  for (const std::size_t k : *found) axes.push_back({.name = mesh_.axes[k].name});
  return axes;
}

/// Axes that are whole ones of a mesh, of these names, get their names where they have none.
void RefinedAxes::name_wholes(const ir::Mesh& of, const std::set<std::string>& allowed) {
  for (const ir::MeshAxis& axis : of.axes) {
    if (axis.size == 1 || !allowed.contains(axis.name) || is_taken(axis.name)) continue;
    const auto found = find(of, {.name = axis.name});
    PARTITA_ASSERT(found.has_value());
    if (found->size() == 1 && mesh_.axes[found->front()].name.empty())
      mesh_.axes[found->front()].name = axis.name;
  }
}

void RefinedAxes::name_parts(const ir::Mesh& first, const std::set<std::string>& placements) {
  for (const ir::MeshAxis& axis : first.axes) {
    if (axis.size == 1) continue;
    const auto found = find(first, {.name = axis.name});
    PARTITA_ASSERT(found.has_value());
    for (std::size_t k = 0; k < found->size(); ++k) {
      std::string& name = mesh_.axes[(*found)[k]].name;
      if (!name.empty()) continue;
      std::string made = cat(axis.name, ".", k);
      while (is_taken(made) || first.find(made) || placements.contains(made)) made += "_";
      name = std::move(made);
    }
  }
}

}  // namespace partita::passes
