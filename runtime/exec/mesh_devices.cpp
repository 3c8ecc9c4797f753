// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/mesh_devices.hpp"

#include <algorithm>

#include "partita/base/error.hpp"

namespace partita {

int shards_per_device(const Plan& plan, int ranks, int devices) {
  const std::int64_t mesh = mesh_shards(plan), all = std::int64_t(ranks) * devices;
  if (mesh % all != 0 && all % mesh != 0)
    throw_user_error(cat("devices: expected ", fitting_devices(mesh), " for a mesh of ", mesh,
                         " shards, found ", all, " (", ranks, ranks == 1 ? " rank, " : " ranks, ",
                         devices, " on each)"));
  return int(std::max<std::int64_t>(1, mesh / all));
}

}  // namespace partita
