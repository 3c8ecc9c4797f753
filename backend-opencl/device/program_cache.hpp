// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Program binaries on disk, one file per (device, driver, options, source).  A cache only: a
// missing, damaged or foreign entry, or a folder that cannot be written, is never an error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "backend-opencl/device/program_binary.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

class ProgramCache {
 public:
  /// The folder is PARTITA_CACHE_DIR, or ~/.cache/partita where it is not set; set but empty
  /// switches the cache off.  Off for PoCL, which keeps such a cache itself; but where its device is taken for a GPU
  /// (PARTITA_OPENCL_CLASS) and PARTITA_CACHE_DIR names a folder.
  explicit ProgramCache(const DeviceProfile& profile);

  [[nodiscard]] bool enabled() const { return !folder_.empty(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> find(const ProgramIdentity& id) const;
  void store(const ProgramIdentity& id, const std::vector<std::byte>& binary) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const ProgramIdentity& id) const;
  std::filesystem::path folder_;  ///< empty: off
};

}  // namespace partita::opencl
