// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Options that say which device a program is compiled for.
#pragma once

#include <string>

#include "partita/driver/compile.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

struct DeviceChoice {
  /// generic, local, a tuned device, a device's name, or a file that describes one
  std::string device = "generic";
  std::string tuning;  ///< file; empty: none given
};

void add_device_options(CLI::App& command, DeviceChoice& choice);
/// Reads the files and asks this machine's drivers where a device of it is meant; `options` are
/// complete but for the device.  A name that no profile, no tuning file and no driver knows is a user
/// error with the nearest ones.  The target takes over what a file says of the driver.
void apply(const DeviceChoice& choice, driver::CompileOptions& options);

}  // namespace partita::tool
