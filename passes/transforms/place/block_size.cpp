// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/place/block_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace partita::passes {
namespace {

/// The most that launches may take beside the work.
constexpr double launch_share = 1.0 / 12;
constexpr std::int64_t most_partitions = 512;

std::string rounded(double x, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %s", x, unit);
  return text;
}

}  // namespace

BlockChoice choose_block(const PartitionWork& work, std::int64_t n, const TargetInfo& target) {
  double operations = 0, computing = 0;
  for (const auto& [dtype, count] : work.operations) {
    operations += count;
    computing += count / target.flop_rate(dtype);
  }
  const double seconds = computing + work.bytes / target.bytes_per_second;
  const double launching = work.launches * target.launch_seconds;
  const std::int64_t fitting =
      std::max<std::int64_t>(target.block_bytes() / std::max<std::int64_t>(work.held_bytes, 1), 1);
  const std::int64_t limit = std::min({n, fitting, most_partitions});
  std::int64_t block = 1;
  while (2 * block <= limit && launching / double(block) > seconds * launch_share) block *= 2;
  BlockChoice choice{.block = block, .reason = {}};
  choice.reason =
      cat("B = ", block, ": one partition makes ", rounded(work.launches, "launches"), " (",
          rounded(launching * 1e6, "us"), ") and does ", rounded(operations / 1e6, "Mflop"), " on ",
          rounded(work.bytes / 1e6, "MB"), " (", rounded(seconds * 1e6, "us"), "), holding ",
          rounded(double(work.held_bytes) / 1e6, "MB"), " of ",
          rounded(double(target.block_bytes()) / 1e6, "MB"),
          target.device_class == DeviceClass::multicore ? " of cache" : " for a block");
  return choice;
}

}  // namespace partita::passes
