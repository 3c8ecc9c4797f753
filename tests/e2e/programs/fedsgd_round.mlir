// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One round of FedSGD: one reduction, so one collective call.
module @fedsgd_round attributes {mr.placements = {clients = 3}} {
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> tensor<2xf32> {
    %models = "mr.broadcast"(%model) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %gradients = "mr.map"(%models, %data) ({
    ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
      %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      %1 = stablehlo.subtract %0, %one : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %3 = stablehlo.multiply %2, %y : tensor<2xf32>
      "mr.return"(%3) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %gradient = "mr.reduce_mean"(%gradients) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %rate = stablehlo.constant dense<1.000000e-02> : tensor<2xf32>
    %step = stablehlo.multiply %rate, %gradient : tensor<2xf32>
    %next = stablehlo.subtract %model, %step : tensor<2xf32>
    return %next : tensor<2xf32>
  }
}
