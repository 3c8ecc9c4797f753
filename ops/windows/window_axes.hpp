// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How windows and convolutions take a further dimension, and lose one.
#pragma once

#include "ir/axes/batching.hpp"
#include "ir/axes/removal.hpp"

namespace partita::ir::ops {

void batch_reduce_window(const BatchJob& job);
void batch_select_and_scatter(const BatchJob& job);
void batch_convolution(const BatchJob& job);

[[nodiscard]] Removal remove_from_windows(const RemovalJob& job);
[[nodiscard]] Removal remove_from_convolution(const RemovalJob& job);

}  // namespace partita::ir::ops
