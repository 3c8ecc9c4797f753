// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Built-in knowledge of OpenCL devices by name: a table of what differs from the target's default.  A
// new device is a row.  What was measured of contractions there is a tuning file, not this.
#pragma once

#include <span>

#include "partita/driver/target.hpp"

namespace partita::opencl::codegen {

using namespace driver;

[[nodiscard]] std::span<const TargetProfile> opencl_profiles();

}  // namespace partita::opencl::codegen
