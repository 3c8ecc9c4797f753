// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Weights that sum to zero: NaN by default and when asked for, the further operands with "keep". Where w has the
// operand's shape, each element decides for itself. A sum of weights that is not zero ignores "keep".
module @zero_weights attributes {mr.placements = {clients = 5}} {
  func.func public @main(%x: tensor<5x2xf32>, %scalar: tensor<5xf32>, %zeros: tensor<5xf32>, %w: tensor<5xf32>, %w_full: tensor<5x2xf32>, %old: tensor<2xf32>, %old_scalar: tensor<f32>, %mask: tensor<5xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %default = "mr.reduce_weighted_mean"(%x, %zeros) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<5x2xf32>, tensor<5xf32>) -> tensor<2xf32>
    %nan = "mr.reduce_weighted_mean"(%x, %zeros) {placement = "clients", on_zero_weight = "nan", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<5x2xf32>, tensor<5xf32>) -> tensor<2xf32>
    %kept:2 = "mr.reduce_weighted_mean"(%x, %scalar, %zeros, %old, %old_scalar) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 2, 1, 0, 2>} : (tensor<5x2xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>)
    %by_element = "mr.reduce_weighted_mean"(%x, %w_full, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 1, 0, 1>} : (tensor<5x2xf32>, tensor<5x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %not_zero = "mr.reduce_weighted_mean"(%x, %w, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 1, 0, 1>} : (tensor<5x2xf32>, tensor<5xf32>, tensor<2xf32>) -> tensor<2xf32>
    // The mask leaves only partitions of weight 0.
    %masked = "mr.reduce_weighted_mean"(%x, %w, %mask, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 1, 1, 1>} : (tensor<5x2xf32>, tensor<5xf32>, tensor<5xi1>, tensor<2xf32>) -> tensor<2xf32>
    %masked_nan = "mr.reduce_weighted_mean"(%x, %w, %mask) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<5x2xf32>, tensor<5xf32>, tensor<5xi1>) -> tensor<2xf32>
    return %default, %nan, %kept#0, %kept#1, %by_element, %not_zero, %masked, %masked_nan : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
