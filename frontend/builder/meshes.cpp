// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/meshes.hpp"

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::build {

Array sharded(const Array& x, const std::vector<std::vector<std::string>>& axes) {
  const ir::Module& module = Scope::current().module();
  const std::vector<ir::Mesh> meshes = ir::meshes(module);
  if (meshes.empty()) refuse("sharded", "a program with a mesh", "none");
  if (std::ssize(axes) > x.rank())
    refuse("sharded", cat("at most the ", x.rank(), " dimensions of ", to_string(x.type())),
           cat(axes.size()));
  ir::Sharding sharding{
      .mesh = mesh_symbol, .inner = {}, .dims = {}, .replicated = {}, .unreduced = {}};
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    ir::DimSharding& dim = sharding.dims.emplace_back();
    dim.is_open = std::size_t(d) >= axes.size();
    if (dim.is_open) continue;
    for (const std::string& axis : axes[std::size_t(d)]) {
      if (!meshes.front().find(axis))
        refuse("sharded", cat("an axis of the mesh ", ir::to_text(meshes.front())), axis);
      dim.axes.push_back({.name = axis});
    }
  }
  return op("sdy.sharding_constraint", {x}, {{"sharding", ir::to_attribute(sharding)}})[0];
}

}  // namespace partita::build
