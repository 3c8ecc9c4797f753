// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Options that say which device a program is compiled for.
#pragma once

#include <string>

#include "partita/device/device.hpp"
#include "partita/passes/compile.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

struct DeviceChoice {
  std::string device = "generic";  ///< generic, local, a tuned device, or a device's name
  std::string tuning;              ///< file; empty: none given
};

void add_device_options(CLI::App& command, DeviceChoice& choice);
/// Reads the tuning file and finds out the name of the local device.
void apply(const DeviceChoice& choice, passes::CompileOptions& options);

/// The OpenCL device that a run on this machine takes: the first, or number `index` of those that
/// `partita devices` lists.  None is a device error.
[[nodiscard]] DeviceProfile local_device(int index = 0);

}  // namespace partita::tool
