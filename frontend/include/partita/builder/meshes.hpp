// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How values lie over the mesh of the program that is being built (`Program::mesh`).
#pragma once

#include <string>
#include <vector>

#include "partita/builder/array.hpp"

namespace partita::build {

/// `x`, whose dimension d is cut along the axes `axes[d]`, the major one first: by none where the list is empty, as
/// the compiler chooses where `axes` is shorter than x's rank.  Inside a map dimensions are those of one partition.
/// What `x` is computed from follows where nothing else is said of it, arguments of the function too.  A user error
/// where the program has no mesh, or none of these axes, or x fewer dimensions.
Array sharded(const Array& x, const std::vector<std::vector<std::string>>& axes);

}  // namespace partita::build
