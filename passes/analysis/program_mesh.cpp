// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/program_mesh.hpp"

#include <set>

#include "partita/ir/mesh.hpp"

namespace partita::passes {

namespace {

/// Placements that nodes of the module are about.
std::set<std::string> used_placements(const ir::Module& module) {
  std::set<std::string> names;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](ir::Node& node) {
      if (node.name().starts_with("mr.")) names.insert(node.attrs.text("placement", ""));
    });
  return names;
}

}  // namespace

std::optional<ir::Mesh> program_mesh(const ir::Module& module) {
  if (auto mesh = ir::shard_mesh(module)) return mesh;
  std::optional<ir::Mesh> mesh;
  for (ir::Mesh& declared : ir::meshes(module)) {
    if (declared.size() == 1) continue;
    if (mesh && mesh->axes != declared.axes) return std::nullopt;
    mesh = std::move(declared);
  }
  if (!mesh) return std::nullopt;
  mesh->device_ids.clear();
  const std::set<std::string> placements = used_placements(module);
  std::erase_if(mesh->axes, [&](const ir::MeshAxis& axis) {
    return axis.size == 1 || placements.contains(axis.name);
  });
  return mesh->axes.empty() ? std::nullopt : mesh;
}

}  // namespace partita::passes
