// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Program binaries on disk, one file per (device, driver, options, source).  A cache only: a
// missing, damaged or foreign entry, or a folder that cannot be written, is never an error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "partita/device/device.hpp"

namespace partita::opencl {

/// What a binary belongs to.
struct ProgramIdentity {
  std::string device;  ///< name, driver and platform version
  std::string options;
  std::string source;
};

class ProgramCache {
 public:
  /// The folder is PARTITA_CACHE_DIR, or ~/.cache/partita where it is not set; set but empty
  /// switches the cache off.  Drivers that keep such a cache themselves (PoCL) use this one only
  /// where PARTITA_CACHE_DIR names a folder.
  explicit ProgramCache(const DeviceProfile& profile);

  [[nodiscard]] bool enabled() const { return !folder_.empty(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> find(const ProgramIdentity& id) const;
  void store(const ProgramIdentity& id, const std::vector<std::byte>& binary) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const ProgramIdentity& id) const;
  std::filesystem::path folder_;  ///< empty: off
};

}  // namespace partita::opencl
