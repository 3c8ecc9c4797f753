// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels whose neighbours are read and written as one, for languages that have no such accesses.
#pragma once

#include <optional>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

/// The same kernel with an access for each element; nothing where it is that already.
[[nodiscard]] std::optional<Kernel> with_single_elements(const Kernel& kernel);

}  // namespace partita::kernel
