// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sum, mean, max and min of seven partitions under a mask. Those left out hold NaN, infinities and the extremes.
// A mean divides by the number of partitions taken part. Integers are reduced exactly.
module @masks attributes {mr.placements = {clients = 7}} {
  func.func public @main(%x: tensor<7x3xf32>, %k: tensor<7x2xi32>, %d: tensor<7xf64>, %mask: tensor<7xi1>, %kept: tensor<2xi32>) -> (tensor<3xf32>, tensor<f64>, tensor<3xf32>, tensor<f64>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %sum:2 = "mr.reduce_sum"(%x, %d, %mask) {placement = "clients", operand_segments = array<i64: 2, 0, 1, 0>} : (tensor<7x3xf32>, tensor<7xf64>, tensor<7xi1>) -> (tensor<3xf32>, tensor<f64>)
    %mean:2 = "mr.reduce_mean"(%x, %d, %mask) {placement = "clients", operand_segments = array<i64: 2, 0, 1, 0>} : (tensor<7x3xf32>, tensor<7xf64>, tensor<7xi1>) -> (tensor<3xf32>, tensor<f64>)
    %max = "mr.reduce_max"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<7x3xf32>, tensor<7xi1>) -> tensor<3xf32>
    %min = "mr.reduce_min"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<7x3xf32>, tensor<7xi1>) -> tensor<3xf32>
    %k_sum = "mr.reduce_sum"(%k, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<7x2xi32>, tensor<7xi1>) -> tensor<2xi32>
    %k_max = "mr.reduce_max"(%k, %mask, %kept) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<7x2xi32>, tensor<7xi1>, tensor<2xi32>) -> tensor<2xi32>
    %k_min = "mr.reduce_min"(%k, %mask, %kept) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<7x2xi32>, tensor<7xi1>, tensor<2xi32>) -> tensor<2xi32>
    return %sum#0, %sum#1, %mean#0, %mean#1, %max, %min, %k_sum, %k_max, %k_min : tensor<3xf32>, tensor<f64>, tensor<3xf32>, tensor<f64>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
}
