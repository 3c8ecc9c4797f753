// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The CPU backend's entry in the runtime's list.
#include <algorithm>

#include "backend-cpu/device/cores.hpp"
#include "backend-cpu/device/cpu_device.hpp"
#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "runtime/device/backend_list.hpp"

namespace partita::backends {
namespace {

std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) {
  if (!request.host_queues.empty())
    throw_user_error("queues of the host: expected none for target cpu, found some");
  const int cores = int(usable_cores().size());
  const int shards = request.local_ranks * request.devices_per_rank;
  const int first = request.local_rank * request.devices_per_rank;
  std::vector<std::unique_ptr<Device>> devices;
  for (int shard = first; shard < first + request.devices_per_rank; ++shard)
    devices.push_back(std::make_unique<cpu::CpuDevice>(cpu::cores_of(shard, shards, cores)));
  return devices;
}

/// One core each where there are as many partitions as cores: partitions need no synchronisation.
int default_devices(const Plan& plan, int local_ranks) {
  const int cores = int(usable_cores().size());
  return most_partitions(plan) >= cores ? std::max(1, cores / local_ranks) : 1;
}

std::vector<DeviceProfile> list() { return {cpu::profile_of(int(usable_cores().size()))}; }

}  // namespace

Backend cpu_backend() {
  return {.name = "cpu", .open = open, .list = list, .default_devices = default_devices};
}

}  // namespace partita::backends
