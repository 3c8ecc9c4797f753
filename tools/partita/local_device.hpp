// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The device of this machine that a run takes, and compiling for it alone.
#pragma once

#include <string>

#include "partita/device/device.hpp"
#include "partita/driver/compile.hpp"

namespace partita::tool {

/// Of a program that runs on this machine at once and for which no device was named: what is compiled is for the
/// class of the device that it will run on.
void choose_local_class(driver::CompileOptions& options);

/// The device of a target that a run on this machine takes: the first, or number `index` of those that
/// `partita devices` lists.  None is a device error.
[[nodiscard]] DeviceProfile local_device(const std::string& target, int index = 0);

}  // namespace partita::tool
