// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/program_mesh.hpp"

#include "partita/ir/mesh.hpp"
#include "passes/analysis/named_shardings.hpp"

namespace partita::passes {

std::optional<ir::Mesh> program_mesh(const ir::Module& module) {
  if (auto mesh = ir::shard_mesh(module)) return mesh;
  if (!names_one_mesh(module)) return std::nullopt;
  std::optional<ir::Mesh> mesh;
  for (ir::Mesh& declared : ir::meshes(module))
    if (declared.size() != 1) mesh = std::move(declared);
  if (!mesh) return std::nullopt;
  mesh->device_ids.clear();
  const std::set<std::string> placements = used_placements(module);
  std::erase_if(mesh->axes, [&](const ir::MeshAxis& axis) {
    return axis.size == 1 || placements.contains(axis.name);
  });
  return mesh->axes.empty() ? std::nullopt : mesh;
}

}  // namespace partita::passes
