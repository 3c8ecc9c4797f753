// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Weights that must not sum to zero: the run ends with an error when they do.
module @zero_weight attributes {mr.placements = {clients = 3}} {
  func.func public @main(%x: tensor<3x2xf32>, %w: tensor<3xf32>) -> tensor<2xf32> {
    %mean = "mr.reduce_weighted_mean"(%x, %w) {placement = "clients", on_zero_weight = "error", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
    return %mean : tensor<2xf32>
  }
}
