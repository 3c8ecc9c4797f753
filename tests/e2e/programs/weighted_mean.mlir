// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Weighted means: one operand ([3.125, 31.25] for weights [1, 2, 5]); three operands of different shapes that share one
// w; a w of the operand's shape; a partition of weight 0 whose value is NaN and does not poison; a mask.
module @weighted_mean attributes {mr.placements = {clients = 3}} {
  func.func public @main(%x: tensor<3x2xf32>, %w: tensor<3xf32>, %scalar: tensor<3xf32>, %cube: tensor<3x2x2xf32>, %w_full: tensor<3x2xf32>, %x_nan: tensor<3x2xf32>, %w_zero: tensor<3xf32>, %mask: tensor<3xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %one = "mr.reduce_weighted_mean"(%x, %w) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
    %many:3 = "mr.reduce_weighted_mean"(%x, %scalar, %cube, %w) {placement = "clients", operand_segments = array<i64: 3, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3xf32>, tensor<3x2x2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<2x2xf32>)
    %full = "mr.reduce_weighted_mean"(%x, %w_full) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    %absent = "mr.reduce_weighted_mean"(%x_nan, %w_zero) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
    %masked = "mr.reduce_weighted_mean"(%x_nan, %w, %mask) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<3x2xf32>, tensor<3xf32>, tensor<3xi1>) -> tensor<2xf32>
    %masked_full = "mr.reduce_weighted_mean"(%x_nan, %w_full, %mask) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    return %one, %many#0, %many#1, %many#2, %full, %absent, %masked, %masked_full : tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
