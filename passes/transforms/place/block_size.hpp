// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How many partitions a streamed loop takes at a time: enough that launches cost little beside what
// they launch and that the device is busy, few enough that a block's values stay in cache, or have room.  Nothing is measured here: numbers come
// from shapes, costs from what is known of the device.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "partita/base/target_info.hpp"
#include "partita/ir/graph.hpp"

namespace partita::passes {

/// What one partition's program does.
struct PartitionWork {
  double launches = 0;
  std::map<DType, double> operations;  ///< of contractions
  double bytes = 0;                    ///< of what other operations and contractions read and write
  std::int64_t held_bytes = 0;         ///< arguments and the largest value made on the way
};
[[nodiscard]] PartitionWork partition_work(const ir::Graph& body);

struct BlockChoice {
  std::int64_t block = 1;
  std::string reason;  ///< the numbers, for people
};
/// For n partitions.
[[nodiscard]] BlockChoice choose_block(const PartitionWork& work, std::int64_t n,
                                       const TargetInfo& target = {});

}  // namespace partita::passes
