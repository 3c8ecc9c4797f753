// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What this backend needs of a machine, for `partita doctor`.
#pragma once

#include <vector>

#include "partita/base/machine_check.hpp"

namespace partita::opencl {

/// Drivers, devices, and a kernel that is built and run.
[[nodiscard]] std::vector<MachineCheck> machine_checks();

}  // namespace partita::opencl
