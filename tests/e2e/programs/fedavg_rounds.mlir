// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Three rounds of FedAvg with three local steps: the clients' models and the average of the first round, and the mean
// loss after each.
module @fedavg_rounds attributes {mr.placements = {clients = 3}} {
  func.func private @round(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
    %models = "mr.broadcast"(%model) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %trained = "mr.map"(%models, %data) ({
    ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
      %first = stablehlo.constant dense<0> : tensor<i32>
      %end:2 = stablehlo.while(%step = %first, %now = %x) : tensor<i32>, tensor<2xf32>
      cond {
        %steps = stablehlo.constant dense<3> : tensor<i32>
        %more = stablehlo.compare LT, %step, %steps, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %rate = stablehlo.constant dense<1.000000e-02> : tensor<2xf32>
        %0 = stablehlo.dot_general %now, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
        %1 = stablehlo.subtract %0, %one : tensor<f32>
        %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %3 = stablehlo.multiply %2, %y : tensor<2xf32>
        %4 = stablehlo.multiply %rate, %3 : tensor<2xf32>
        %5 = stablehlo.subtract %now, %4 : tensor<2xf32>
        %increment = stablehlo.constant dense<1> : tensor<i32>
        %6 = stablehlo.add %step, %increment : tensor<i32>
        stablehlo.return %6, %5 : tensor<i32>, tensor<2xf32>
      }
      "mr.return"(%end#1) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %next = "mr.reduce_mean"(%trained) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %next, %trained : tensor<2xf32>, tensor<3x2xf32>
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
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %first:2 = call @round(%model, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
    %first_loss = call @mean_loss(%first#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    %second:2 = call @round(%first#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
    %second_loss = call @mean_loss(%second#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    %third:2 = call @round(%second#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
    %third_loss = call @mean_loss(%third#0, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %first#1, %first#0, %first_loss, %second_loss, %third_loss : tensor<3x2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
