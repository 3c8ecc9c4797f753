// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The mesh that a program is for.
#pragma once

#include <optional>

#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// That of the shards where a module is one's program or has pieces of it already, else the one that the
/// module declares, without axes of extent 1 and those that are placements of its map/reduce ops.  Nothing
/// where no axes are left, or where shardings name several meshes or parts of axes (pass refine-mesh makes them
/// one mesh's whole axes).
[[nodiscard]] std::optional<ir::Mesh> program_mesh(const ir::Module& module);

}  // namespace partita::passes
