// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// All shardings that a program says: of arguments, results and values, at the edges of computations for devices.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "partita/ir/sharding.hpp"

namespace partita::passes {

/// Calls f for each sharding of the module; what f changes is kept.
void edit_shardings(ir::Module& module, const std::function<void(ir::Sharding&)>& f);
/// The same without changes.
void visit_shardings(const ir::Module& module, const std::function<void(const ir::Sharding&)>& f);

/// Whether the module declares one mesh, or only meshes of one device, and its shardings name whole axes.
[[nodiscard]] bool names_one_mesh(const ir::Module& module);

/// Placements that nodes of the module are about.
[[nodiscard]] std::set<std::string> used_placements(const ir::Module& module);

}  // namespace partita::passes
