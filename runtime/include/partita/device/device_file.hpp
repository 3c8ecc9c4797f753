// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A device described in a file, so that a program can be compiled for a device that is not here:
// `partita devices -o` writes it, `partita compile --device` reads it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "partita/device/device.hpp"

namespace partita {

[[nodiscard]] std::string device_to_json(const DeviceProfile& profile);
/// Anything but a device file of this version that is whole is a user error of one line.
[[nodiscard]] DeviceProfile device_from_json(std::string_view text,
                                             const std::string& name_for_errors);
[[nodiscard]] DeviceProfile load_device(const std::filesystem::path& path);

}  // namespace partita
