// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// No partition takes part: a sum is 0; mean, weighted mean, max and min are NaN, or what "keep" gives. The mask is made
// by a map, so that no shard knows it beforehand.
module @mask_all_false attributes {mr.placements = {clients = 4}} {
  func.func public @main(%x: tensor<4x2xf32>, %k: tensor<4xi32>, %w: tensor<4xf32>, %old: tensor<2xf32>, %old_k: tensor<i32>) -> (tensor<2xf32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) {
    %mask = "mr.map"(%k) ({
    ^bb0(%own: tensor<i32>):
      %limit = stablehlo.constant dense<1000> : tensor<i32>
      %0 = stablehlo.compare GT, %own, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "mr.return"(%0) : (tensor<i1>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<4xi32>) -> tensor<4xi1>
    %sum = "mr.reduce_sum"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<4x2xf32>, tensor<4xi1>) -> tensor<2xf32>
    %k_sum = "mr.reduce_sum"(%k, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<4xi32>, tensor<4xi1>) -> tensor<i32>
    %mean = "mr.reduce_mean"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<4x2xf32>, tensor<4xi1>) -> tensor<2xf32>
    %mean_kept = "mr.reduce_mean"(%x, %mask, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<4x2xf32>, tensor<4xi1>, tensor<2xf32>) -> tensor<2xf32>
    %weighted = "mr.reduce_weighted_mean"(%x, %w, %mask) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<4x2xf32>, tensor<4xf32>, tensor<4xi1>) -> tensor<2xf32>
    %weighted_kept = "mr.reduce_weighted_mean"(%x, %w, %mask, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 1, 1, 1>} : (tensor<4x2xf32>, tensor<4xf32>, tensor<4xi1>, tensor<2xf32>) -> tensor<2xf32>
    %max = "mr.reduce_max"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<4x2xf32>, tensor<4xi1>) -> tensor<2xf32>
    %max_kept = "mr.reduce_max"(%x, %mask, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<4x2xf32>, tensor<4xi1>, tensor<2xf32>) -> tensor<2xf32>
    %min = "mr.reduce_min"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<4x2xf32>, tensor<4xi1>) -> tensor<2xf32>
    %min_kept = "mr.reduce_min"(%x, %mask, %old) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<4x2xf32>, tensor<4xi1>, tensor<2xf32>) -> tensor<2xf32>
    %k_max = "mr.reduce_max"(%k, %mask, %old_k) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<4xi32>, tensor<4xi1>, tensor<i32>) -> tensor<i32>
    %k_min = "mr.reduce_min"(%k, %mask, %old_k) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<4xi32>, tensor<4xi1>, tensor<i32>) -> tensor<i32>
    return %sum, %k_sum, %mean, %mean_kept, %weighted, %weighted_kept, %max, %max_kept, %min, %min_kept, %k_max, %k_min : tensor<2xf32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>
  }
}
