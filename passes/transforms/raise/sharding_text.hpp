// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Reads what Shardy's text says: axes per dimension of a sharding, sizes of a mesh's axes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::passes {

/// `#sdy.sharding<@mesh, [{"clients"}, {?}]>` (or the part in angle brackets): axis names of each dimension.
[[nodiscard]] std::vector<std::vector<std::string>> sharding_axes(const std::string& text);
/// Axes of all meshes of the module with their sizes.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> mesh_axes(const ir::Module& module);

}  // namespace partita::passes
