// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/cores.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "partita/artifact/plan.hpp"
#include "partita/base/cpu_levels.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu {

int cores_of(int shard, int shards, int cores) {
  const BlockRange block = block_of(cores, shard, shards);
  return int(std::max<std::int64_t>(1, block.end - block.begin));
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "CPU";
}

DeviceProfile profile_of(int cores) {
  DeviceProfile profile;
  profile.backend = "cpu";
  profile.name = processor_name();
  profile.vendor = "this machine";
  profile.driver = best_cpu_level();
  profile.platform = "C functions on host threads";
  profile.compute_units = cores;
  profile.global_bytes =
      std::int64_t(::sysconf(_SC_PHYS_PAGES)) * std::int64_t(::sysconf(_SC_PAGE_SIZE));
  profile.max_allocation_bytes = profile.global_bytes;
  profile.local_bytes = std::max<std::int64_t>(::sysconf(_SC_LEVEL2_CACHE_SIZE), 0);
  profile.max_work_group = 1;
  profile.has_fp64 = profile.is_cpu = true;
  return profile;
}

}  // namespace partita::cpu
