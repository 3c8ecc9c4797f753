// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An estimate of what a kernel does, from its statements alone: simple operations on elements, in
// which elementary functions count as several.  For decisions, not for predictions of time.
#pragma once

#include "passes/kernel/kernel.hpp"

namespace partita::passes {

/// Operations of one work-item at most; infinite where a loop of the kernel has no known bound.
[[nodiscard]] double work_per_item(const Kernel& kernel);

}  // namespace partita::passes
