// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/mesh_option.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::driver {
namespace {

constexpr std::int64_t most_shards = 1 << 20;

ir::MeshAxis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw_user_error(cat("--mesh: expected NAME=N, found '", text, "'"));
  const std::int64_t size = parse_number(text.substr(equals + 1), "--mesh", most_shards);
  if (size == 0) throw_user_error(cat("--mesh: expected a size above 0, found '", text, "'"));
  return {.name = text.substr(0, equals), .size = size};
}

ir::Mesh parse(const std::string& text) {
  ir::Mesh mesh;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    ir::MeshAxis axis = parse_axis(text.substr(begin, end - begin));
    if (mesh.find(axis.name))
      throw_user_error(cat("--mesh: expected each axis once, found ", axis.name, " twice"));
    mesh.axes.push_back(std::move(axis));
    begin = end + 1;
  }
  static_cast<void>(mesh.size());  // refuses one that is too large
  return mesh;
}

}  // namespace

void declare_mesh(ir::Module& module, const std::string& text) {
  if (text.empty()) return;
  const ir::Mesh mesh = parse(text);
  for (const ir::Mesh& declared : ir::meshes(module)) {
    if (declared.axes != mesh.axes)
      throw_user_error(cat("--mesh: expected the mesh that the program declares, ",
                           ir::to_text(declared), ", found ", ir::to_text(mesh)));
    return;
  }
  ir::declare_mesh(module, "mesh", mesh);
}

}  // namespace partita::driver
