// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How many partitions a streamed loop takes at a time: enough that launches cost little beside what
// they launch and that the device is busy, few enough that a block's values stay in cache, or have room.  Nothing is measured here: numbers come
// from shapes, costs from what is known of the device.
#pragma once

#include <cstdint>
#include <string>

#include "partita/base/target_info.hpp"
#include "passes/analysis/partition_work.hpp"

namespace partita::passes {

struct BlockChoice {
  std::int64_t block = 1;
  std::string reason;  ///< the numbers, for people
};
/// For n partitions.
[[nodiscard]] BlockChoice choose_block(const PartitionWork& work, std::int64_t n,
                                       const TargetInfo& target = {});

}  // namespace partita::passes
