// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Three rounds of FedSGD in a loop on the server: the reduction is inside the loop. Also the mean loss at the end.
module @fedsgd_while attributes {mr.placements = {clients = 3}} {
  func.func private @round(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> tensor<2xf32> {
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
  func.func private @mean_loss(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> tensor<f32> {
    %models = "mr.broadcast"(%model) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %losses = "mr.map"(%models, %data) ({
    ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
      %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      %1 = stablehlo.subtract %0, %one : tensor<f32>
      %2 = stablehlo.multiply %1, %1 : tensor<f32>
      %3 = stablehlo.multiply %half, %2 : tensor<f32>
      "mr.return"(%3) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
    %mean = "mr.reduce_mean"(%losses) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %mean : tensor<f32>
  }
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %first = stablehlo.constant dense<0> : tensor<i32>
    %end:2 = stablehlo.while(%round = %first, %now = %model) : tensor<i32>, tensor<2xf32>
    cond {
      %rounds = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %round, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = func.call @round(%now, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %following = stablehlo.add %round, %one : tensor<i32>
      stablehlo.return %following, %next : tensor<i32>, tensor<2xf32>
    }
    %loss = call @mean_loss(%end#1, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %end#1, %loss : tensor<2xf32>, tensor<f32>
  }
}
