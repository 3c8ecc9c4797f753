// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of ops with sliding windows.
#pragma once

#include "partita/ir/derivative.hpp"

namespace partita::ir::ops {

/// A convolution of the cotangent with the other operand, for each operand.
[[nodiscard]] Derivative convolution_derivative();
/// Of sums the transposed windows; of extrema a select_and_scatter; of others, of scans and of windows
/// that are not side by side the ops that combine the elements one with another.
[[nodiscard]] Derivative reduce_window_derivative();
/// A scatter to the elements that windows select, which are constant almost everywhere.
[[nodiscard]] Derivative select_and_scatter_derivative();

}  // namespace partita::ir::ops
