// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random meshes and shardings for programs that have none.
#pragma once

#include <random>
#include <string>

#include "partita/ir/graph.hpp"

namespace partita::testing {

/// Declares a mesh of 2 to 8 devices of one or two axes, sometimes a second one of the same devices, and says of some
/// arguments and results how they lie over them: cut along dimensions of any extent, by axes or parts of axes, whole, or
/// open, with priorities.  Text of the meshes, for messages.
std::string shard_at_random(ir::Module& module, ir::Function& f, std::mt19937& random);

/// Whether a program can be given a mesh: it has none, does not check itself, and is for no processes of its own.
[[nodiscard]] bool can_be_sharded(const ir::Module& module);

}  // namespace partita::testing
