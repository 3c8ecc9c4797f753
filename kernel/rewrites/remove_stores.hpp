// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel that no longer writes some of its buffers.
#pragma once

#include <vector>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

/// The kernel without what it stores into the buffers for which `is_removed` holds, of which it loads none, and without
/// these buffers; those behind them move up.  Branches and loops that did nothing else go with them.
[[nodiscard]] Kernel without_stores(const Kernel& kernel, const std::vector<bool>& is_removed);

}  // namespace partita::kernel
