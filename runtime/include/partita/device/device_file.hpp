// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A device described in a file, so that a program can be compiled for a device that is not here:
// `partita devices -o` writes it, `partita compile --device` reads it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "partita/base/target_info.hpp"
#include "partita/device/device.hpp"

namespace partita {

/// What a file holds.
struct DeviceFile {
  DeviceProfile device;
  /// Members of a TargetInfo that somebody states beside it, as a JSON object; empty: none.
  std::string facts;
};

[[nodiscard]] std::string device_to_json(const DeviceFile& file);
/// Anything but a device file of this version that is whole, and has no other fields, is a user error
/// of one line.
[[nodiscard]] DeviceFile device_from_json(std::string_view text,
                                          const std::string& name_for_errors);
[[nodiscard]] DeviceFile load_device(const std::filesystem::path& path);

/// Sets what the drivers say of a device, then what is stated beside it.
void describe(const DeviceFile& file, const std::string& name_for_errors, TargetInfo& info);

}  // namespace partita
