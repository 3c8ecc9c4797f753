// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Three rounds of FedSGD by the gradient of the mean loss, with the loss before each: one collective call a round.
module @grad_fedsgd_rounds attributes {mr.placements = {clients = 3}} {
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
  func.func private @round(%x: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %0:2 = "mr.grad"(%x, %data) {callee = @mean_loss, value = true} : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<f32>, tensor<2xf32>)
    %rate = stablehlo.constant dense<1.000000e-02> : tensor<2xf32>
    %step = stablehlo.multiply %rate, %0#1 : tensor<2xf32>
    %next = stablehlo.subtract %x, %step : tensor<2xf32>
    return %next, %0#0 : tensor<2xf32>, tensor<f32>
  }
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %first:2 = call @round(%model, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>)
    %second:2 = call @round(%first#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>)
    %third:2 = call @round(%second#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>)
    return %third#0, %first#1, %second#1, %third#1 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
