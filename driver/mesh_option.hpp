// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The option --mesh NAME=N,NAME=N of a compilation.
#pragma once

#include <string>

#include "partita/ir/graph.hpp"

namespace partita::driver {

/// Declares the mesh, where `text` is not empty.  A user error where it is not names with sizes of at least 1,
/// each once, or where the program declares another mesh.
void declare_mesh(ir::Module& module, const std::string& text);

}  // namespace partita::driver
