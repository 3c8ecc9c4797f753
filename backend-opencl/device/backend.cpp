// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The OpenCL backend's entry in the runtime's list.
#include "runtime/device/backend.hpp"

#include <algorithm>

#include "backend-opencl/device/opencl_device.hpp"

namespace partita::backends {
namespace {

std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) {
  std::vector<std::unique_ptr<Device>> devices;
  for (void* queue : request.host_queues)
    devices.push_back(std::make_unique<opencl::OpenclDevice>(static_cast<cl_command_queue>(queue)));
  if (!devices.empty()) return devices;
  for (opencl::DeviceSlot& slot : opencl::assign_devices(request))
    devices.push_back(std::make_unique<opencl::OpenclDevice>(std::move(slot)));
  return devices;
}

/// A single CPU: one core each where there are as many partitions as cores.  Threads that work on
/// partitions of their own need not wake each other for every launch.
int default_devices(const Plan& plan, int local_ranks) {
  const std::int64_t partitions = most_partitions(plan);
  const int cores = partitions > 1 ? opencl::cores_to_split() : 0;
  return cores > 0 && partitions >= cores ? std::max(1, cores / local_ranks) : 1;
}

std::vector<DeviceProfile> list() {
  std::vector<DeviceProfile> profiles;
  for (const opencl::DeviceSlot& slot : opencl::find_devices())
    profiles.push_back(opencl::query_profile(slot.platform, slot.device));
  return profiles;
}

}  // namespace

Backend opencl_backend() {
  return {.name = "opencl", .open = open, .list = list, .default_devices = default_devices};
}

}  // namespace partita::backends
