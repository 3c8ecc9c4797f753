// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Gradients of reductions over partitions: weighted means by values and weights, with a weight of 0 whose value is NaN,
// with a mask; means with a mask; extrema with a tie, which goes to the first.
module @grad_reductions attributes {mr.placements = {clients = 3}} {
  func.func private @first(%y: tensor<2xf32>) -> tensor<f32> {
    %0 = stablehlo.slice %y [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @weighted(%x: tensor<3x2xf32>, %w: tensor<3xf32>) -> tensor<f32> {
    %0 = "mr.reduce_weighted_mean"(%x, %w) {placement = "clients"} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
    %1 = func.call @first(%0) : (tensor<2xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @masked_weighted(%x: tensor<3x2xf32>, %w: tensor<3xf32>, %mask: tensor<3xi1>) -> tensor<f32> {
    %0 = "mr.reduce_weighted_mean"(%x, %w, %mask) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<3x2xf32>, tensor<3xf32>, tensor<3xi1>) -> tensor<2xf32>
    %1 = func.call @first(%0) : (tensor<2xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @masked_mean(%x: tensor<3x2xf32>, %mask: tensor<3xi1>) -> tensor<f32> {
    %0 = "mr.reduce_mean"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @extrema(%x: tensor<3x2xf32>) -> tensor<f32> {
    %0 = "mr.reduce_max"(%x) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %1 = "mr.reduce_min"(%x) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func public @main(%x: tensor<3x2xf32>, %w: tensor<3xf32>, %x_nan: tensor<3x2xf32>, %mask: tensor<3xi1>, %tied: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
    %0:2 = "mr.grad"(%x, %w) {callee = @weighted, wrt = array<i64: 0, 1>} : (tensor<3x2xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<3xf32>)
    %1:2 = "mr.grad"(%x_nan, %w, %mask) {callee = @masked_weighted, wrt = array<i64: 0, 1>} : (tensor<3x2xf32>, tensor<3xf32>, tensor<3xi1>) -> (tensor<3x2xf32>, tensor<3xf32>)
    %2 = "mr.grad"(%x_nan, %mask) {callee = @masked_mean} : (tensor<3x2xf32>, tensor<3xi1>) -> tensor<3x2xf32>
    %3 = "mr.grad"(%tied) {callee = @extrema} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0#0, %0#1, %1#0, %1#1, %2, %3 : tensor<3x2xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  }
}
