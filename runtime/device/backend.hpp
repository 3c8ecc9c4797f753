// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How a backend's device part joins the runtime: it defines `Backend <name>_backend()` in
// namespace partita::backends, which the list generated from PARTITA_BACKENDS calls.  So the
// runtime names no backend's header and a new backend edits no file here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "partita/device/device.hpp"
#include "partita_generated/backends.hpp"

namespace partita {

struct Backend {
  std::string_view name;
  /// As open_devices() for a request of this backend.
  std::vector<std::unique_ptr<Device>> (*open)(const DeviceRequest& request) = nullptr;
  /// Profiles of the devices present; empty where there are none.
  std::vector<DeviceProfile> (*list)() = nullptr;
  /// As default_devices(); none: always 1.
  int (*default_devices)(const Plan& plan, int local_ranks) = nullptr;
};

/// Partitions of the largest placement that is split over shards; 0 where there is none.
[[nodiscard]] std::int64_t most_partitions(const Plan& plan);

namespace backends {
#define PARTITA_DECLARE_BACKEND(name) [[nodiscard]] Backend name##_backend();
PARTITA_BACKENDS(PARTITA_DECLARE_BACKEND)
#undef PARTITA_DECLARE_BACKEND
}  // namespace backends

/// Every backend of this build, in the order of PARTITA_BACKENDS.
[[nodiscard]] std::vector<Backend> all_backends();

}  // namespace partita
