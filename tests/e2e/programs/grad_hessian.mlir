// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rows of the Hessian of a mean loss: the gradient of a gradient, in reverse over reverse and forward over
// reverse mode.
module @grad_hessian attributes {mr.placements = {clients = 3}} {
  func.func private @loss(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %1 = stablehlo.subtract %0, %one : tensor<f32>
    %2 = stablehlo.multiply %1, %1 : tensor<f32>
    %3 = stablehlo.multiply %half, %2 : tensor<f32>
    return %3 : tensor<f32>
  }
  func.func private @mean_loss(%x: tensor<2xf32>, %data: tensor<3x2xf32>) -> tensor<f32> {
    %models = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %losses = "mr.map"(%models, %data) ({
    ^bb0(%p: tensor<2xf32>, %y: tensor<2xf32>):
      %0 = func.call @loss(%p, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      "mr.return"(%0) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
    %mean = "mr.reduce_mean"(%losses) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %mean : tensor<f32>
  }
  func.func private @slope_along(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %u: tensor<2xf32>) -> tensor<f32> {
    %slope = "mr.grad"(%x, %data) {callee = @mean_loss} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    %0 = stablehlo.dot_general %slope, %u, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %first = stablehlo.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
    %second = stablehlo.constant dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32>
    %reverse_first = "mr.grad"(%model, %data, %first) {callee = @slope_along, mode = "reverse"} : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %reverse_second = "mr.grad"(%model, %data, %second) {callee = @slope_along, mode = "reverse"} : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %forward_first = "mr.grad"(%model, %data, %first) {callee = @slope_along, mode = "forward"} : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %forward_second = "mr.grad"(%model, %data, %second) {callee = @slope_along, mode = "forward"} : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %reverse_first, %reverse_second, %forward_first, %forward_second : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
