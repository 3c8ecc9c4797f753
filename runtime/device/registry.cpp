// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>

#include "partita/base/error.hpp"
#include "runtime/device/backend_list.hpp"

namespace partita {

std::vector<Backend> all_backends() {
  std::vector<Backend> all;
#define PARTITA_ADD_BACKEND(name) all.push_back(backends::name##_backend());
  PARTITA_BACKENDS(PARTITA_ADD_BACKEND)
#undef PARTITA_ADD_BACKEND
  return all;
}

std::string backend_names() {
  std::string names;
  for (const Backend& backend : all_backends())
    names += cat(names.empty() ? "" : ", ", backend.name);
  return names;
}

Backend find_backend(std::string_view name) {
  for (const Backend& backend : all_backends())
    if (backend.name == name) return backend;
  throw_user_error(cat("target '", name, "' is not built in (built in: ", backend_names(), ")"));
}

std::vector<std::unique_ptr<Device>> open_devices(const DeviceRequest& request) {
  PARTITA_ASSERT(request.local_rank >= 0 && request.local_rank < request.local_ranks);
  if (request.devices_per_rank < 1)
    throw_user_error(
        cat("devices per rank: expected at least 1, found ", request.devices_per_rank));
  if (!request.host_queues.empty() &&
      request.host_queues.size() != std::size_t(request.devices_per_rank))
    throw_user_error(cat("queues of the host: expected ", request.devices_per_rank,
                         " (one per device), found ", request.host_queues.size()));
  return find_backend(request.backend).open(request);
}

int default_devices(const Artifact& artifact, int local_ranks) {
  for (const Backend& backend : all_backends())
    if (backend.name == artifact.target && backend.default_devices != nullptr)
      return backend.default_devices(artifact.plan, local_ranks);
  return 1;
}

std::int64_t most_partitions(const Plan& plan) {
  std::int64_t partitions = 0;
  for (const Placement& p : plan.placements)
    if (p.begin_variable >= 0) partitions = std::max(partitions, p.size);
  return partitions;
}

std::vector<DeviceProfile> list_devices() {
  std::vector<DeviceProfile> profiles;
  for (const Backend& backend : all_backends())
    for (DeviceProfile& profile : backend.list()) profiles.push_back(std::move(profile));
  return profiles;
}

}  // namespace partita
