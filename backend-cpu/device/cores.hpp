// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which cores this process may use and how its devices divide them.
#pragma once

#include <string>
#include <vector>

#include "partita/device/device.hpp"

namespace partita::cpu {

/// Numbers of the cores in this process's affinity mask, ascending; at least one.
[[nodiscard]] std::vector<int> usable_cores();
/// How many cores device `shard` of `shards` on this machine owns: an even share, at least one.
[[nodiscard]] int cores_of(int shard, int shards, int cores);
/// The processor's name as the system gives it.
[[nodiscard]] std::string processor_name();
[[nodiscard]] DeviceProfile profile_of(int cores);

}  // namespace partita::cpu
