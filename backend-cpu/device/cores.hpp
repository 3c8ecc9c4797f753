// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How the devices of this process divide its cores.
#pragma once

#include <string>

#include "partita/device/device.hpp"

namespace partita::cpu {

/// How many cores device `shard` of `shards` on this machine owns: an even share, at least one.
[[nodiscard]] int cores_of(int shard, int shards, int cores);
/// The processor's name as the system gives it.
[[nodiscard]] std::string processor_name();
[[nodiscard]] DeviceProfile profile_of(int cores);

}  // namespace partita::cpu
