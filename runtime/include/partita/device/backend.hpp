// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How a backend's device part joins the runtime, and what it says of itself to tools that list, check
// and measure devices.  It defines `Backend <name>_backend()` in namespace partita::backends, which the
// list generated from PARTITA_BACKENDS calls: the runtime names no backend, a new one edits no file here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partita/base/machine_check.hpp"
#include "partita/device/device.hpp"

namespace partita {

/// How `partita tune` finds parameters of a matrix library that has two kernels: one that packs its
/// operands, for large products, and one that reads them where they are.
struct LibraryTuning {
  /// "NAME 1.5.3".
  std::string (*version)() = nullptr;
  struct Kernel {
    std::string_view name;
    std::int64_t extent = 0;  ///< of the cube at which sets are compared
  };
  Kernel packing, direct;
  /// Sets of parameters that the library's rules and the device allow.
  std::vector<LibraryParameters> (*candidates)(std::string_view kernel, DType dtype,
                                               const DeviceProfile& device) = nullptr;
  /// What makes the library give products of which no extent is `cube` or more to the direct kernel.
  LibraryParameters (*direct_below)(std::int64_t cube, DType dtype) = nullptr;
};

struct Backend {
  std::string_view name;
  /// As open_devices() for a request of this backend.
  std::vector<std::unique_ptr<Device>> (*open)(const DeviceRequest& request) = nullptr;
  /// Profiles of the devices present; empty where there are none.
  std::vector<DeviceProfile> (*list)() = nullptr;
  /// As default_devices(); null: always 1.
  int (*default_devices)(const Plan& plan, int local_ranks) = nullptr;
  /// What to do where list() is empty: "install X".
  std::string_view hint;
  /// Profiles of the devices that a run may take, first the one that it takes: what is left of list()
  /// by the environment.  None is a device error.  Null: as list().
  std::vector<DeviceProfile> (*usable)() = nullptr;
  /// Makes sessions of this process take that device; null: there is one.
  void (*select)(const DeviceProfile& device) = nullptr;
  /// What `partita doctor` asks of this machine.
  std::vector<MachineCheck> checks;
  /// Null: its contractions are not measured by `partita tune`.
  const LibraryTuning* tuning = nullptr;
};

/// Partitions of the largest placement that is split over shards; 0 where there is none.
[[nodiscard]] std::int64_t most_partitions(const Plan& plan);

/// Every backend of this build, in the order of PARTITA_BACKENDS.
[[nodiscard]] std::vector<Backend> all_backends();
/// "X, Y": their names.
[[nodiscard]] std::string backend_names();
/// A user error that names those built in.
[[nodiscard]] Backend find_backend(std::string_view name);

}  // namespace partita
