// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What ops whose last operands are one start index per dimension (dynamic_slice and
// dynamic_update_slice) share where a dimension comes or goes.
#pragma once

#include "ir/axes/batching.hpp"
#include "ir/axes/removal.hpp"

namespace partita::ir::ops {

/// Start indices from operand `first` on, as an array [size, rank].
[[nodiscard]] Value stacked_starts(const BatchJob& job, std::size_t first);
/// Slices at one place along the batch: a start index 0 for the new dimension.
void batch_same_place(const BatchJob& job, std::size_t first_start);
/// A removed dimension has no start index.
[[nodiscard]] Removal remove_with_start(const RemovalJob& job, std::size_t first_start);

}  // namespace partita::ir::ops
