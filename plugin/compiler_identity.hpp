// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What decides, beside a program and the options that come with it, what it is compiled to.
#pragma once

#include <map>
#include <string>

#include "partita/device/device.hpp"

namespace partita::pjrt {

/// 16 hexadecimal digits that differ where the libraries, the client's options, the device or the processor do.  JAX's
/// persistent cache takes executables for the same where the platform's version, which has them, is.
[[nodiscard]] std::string compiler_identity(const std::map<std::string, std::string>& options,
                                            const DeviceProfile& device);

}  // namespace partita::pjrt
