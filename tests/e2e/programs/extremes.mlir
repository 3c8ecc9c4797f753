// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// max and min without a mask: of negative numbers, of infinities, of integers (32 and 64 bits), and with two operands.
// Every shard's identity must stay out of the result, also on a shard without partitions.
module @extremes attributes {mr.placements = {clients = 5}} {
  func.func public @main(%x: tensor<5x3xf32>, %y: tensor<5xf32>, %k: tensor<5xi32>, %l: tensor<5x2xi64>) -> (tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>) {
    %max:2 = "mr.reduce_max"(%x, %y) {placement = "clients"} : (tensor<5x3xf32>, tensor<5xf32>) -> (tensor<3xf32>, tensor<f32>)
    %min:2 = "mr.reduce_min"(%x, %y) {placement = "clients"} : (tensor<5x3xf32>, tensor<5xf32>) -> (tensor<3xf32>, tensor<f32>)
    %k_max = "mr.reduce_max"(%k) {placement = "clients"} : (tensor<5xi32>) -> tensor<i32>
    %k_min = "mr.reduce_min"(%k) {placement = "clients"} : (tensor<5xi32>) -> tensor<i32>
    %l_max = "mr.reduce_max"(%l) {placement = "clients"} : (tensor<5x2xi64>) -> tensor<2xi64>
    %l_min = "mr.reduce_min"(%l) {placement = "clients"} : (tensor<5x2xi64>) -> tensor<2xi64>
    return %max#0, %max#1, %min#0, %min#1, %k_max, %k_min, %l_max, %l_min : tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>
  }
}
