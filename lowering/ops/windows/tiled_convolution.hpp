// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A convolution whose work-items keep a tile of results in vector registers: some windows along one
// dimension of the result by vectors of output features.  The tile runs over the elements of a window
// and the input features of a group, as a contraction does over its sum.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

using namespace kernel;

/// What is computed, and how elements of the operands are read: expressions of dtype `sums`.
struct ConvolutionWork {
  const ir::Node& node;
  Location to;  ///< dense row-major
  TileSize most;
  DType sums;  ///< f32 or f64
  using ElementFn = std::function<scalar::ExprId(std::span<const scalar::ExprId> index)>;
  ElementFn input;
  /// At (element of the window by dimension…, input feature of the group, output feature of all);
  /// contiguous along the last one.
  ElementFn weight;
  /// Zero times the weights of all input features, added up, at (element of the window by dimension…, output feature of all):
  /// what an element that is padding adds.  None where the kernel adds it up.
  ElementFn padding;
};

/// Fills `kernel` and returns its work-items; only where suits_tiles().
[[nodiscard]] std::int64_t tile_convolution(const ConvolutionWork& work, KernelBody& body);

}  // namespace partita::lowering
