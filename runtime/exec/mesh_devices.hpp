// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// On how many devices the shards of a mesh can run.
#pragma once

#include "partita/artifact/plan.hpp"

namespace partita {

/// Shards of the mesh on each of `devices` devices of each of `ranks` ranks, at least 1.  A user error where neither
/// number divides the other.
[[nodiscard]] int shards_per_device(const Plan& plan, int ranks, int devices);

}  // namespace partita
