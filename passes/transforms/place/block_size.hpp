// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How many partitions a streamed loop takes at a time: enough that launches cost little beside what
// they launch, few enough that a block's values stay in cache.  Nothing is measured here: numbers come
// from shapes, costs from a description of the device.
#pragma once

#include <cstdint>
#include <string>

#include "partita/ir/graph.hpp"

namespace partita::passes {

struct DeviceCosts {
  double launch_seconds = 4e-6;
  double operations_per_second = 150e9;  ///< of contractions
  double bytes_per_second = 20e9;  ///< of what other operations and contractions read and write
  std::int64_t cache_bytes = std::int64_t(8) << 20;
  double launch_share = 1.0 / 12;  ///< the most that launches may take beside the work
  std::int64_t most = 512;
};

/// What one partition's program does.
struct PartitionWork {
  double launches = 0, operations = 0, bytes = 0;
  std::int64_t held_bytes = 0;  ///< arguments and the largest value made on the way
};
[[nodiscard]] PartitionWork partition_work(const ir::Graph& body);

struct BlockChoice {
  std::int64_t block = 1;
  std::string reason;  ///< the numbers, for people
};
/// For n partitions.
[[nodiscard]] BlockChoice choose_block(const PartitionWork& work, std::int64_t n,
                                       const DeviceCosts& costs = {});

}  // namespace partita::passes
