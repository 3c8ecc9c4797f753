// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which cores of the machine this process may use.
#pragma once

#include <vector>

namespace partita {

/// Numbers of the cores in this process's affinity mask, ascending; at least one.
[[nodiscard]] std::vector<int> usable_cores();

}  // namespace partita
