// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The OpenCL backend's entry in the runtime's list.
#include <algorithm>
#include <cstdlib>

#include "backend-opencl/device/doctor.hpp"
#include "backend-opencl/device/library_tuning.hpp"
#include "backend-opencl/device/opencl_device.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "runtime/device/backend_list.hpp"

namespace partita::backends {
namespace {

std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) {
  std::vector<std::unique_ptr<Device>> devices;
  for (void* queue : request.host_queues)
    devices.push_back(std::make_unique<opencl::OpenclDevice>(static_cast<cl_command_queue>(queue)));
  if (!devices.empty()) return devices;
  const cl_command_queue_properties properties =
      request.times_launches ? CL_QUEUE_PROFILING_ENABLE : 0;
  for (opencl::DeviceSlot& slot : opencl::assign_devices(request))
    devices.push_back(std::make_unique<opencl::OpenclDevice>(std::move(slot), properties));
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

std::vector<DeviceProfile> usable() {
  std::vector<DeviceProfile> found = list();
  if (const auto wanted = environment(opencl::device_variable))
    std::erase_if(found, [&](const DeviceProfile& p) {
      return cat(p.platform.substr(0, p.platform.find(',')), ": ", p.name).find(*wanted) ==
             std::string::npos;
    });
  if (found.empty()) opencl::throw_no_device();
  return found;
}

void select(const DeviceProfile& device) {
  ::setenv(opencl::device_variable, device.name.c_str(), 1);
}

}  // namespace

Backend opencl_backend() {
  return {.name = "opencl",
          .open = open,
          .list = list,
          .default_devices = default_devices,
          .hint = "install pocl-opencl-icd for the CPU",
          .usable = usable,
          .select = select,
          .checks = opencl::machine_checks(),
          .tuning = &opencl::library_tuning()};
}

}  // namespace partita::backends
