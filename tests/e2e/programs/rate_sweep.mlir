// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A placement of learning rates around a placement of clients: three steps of FedSGD for each of five rates, then the
// mean loss of each. The inner reductions are within one partition of the outer placement.
module @rate_sweep attributes {mr.placements = {rates = 5, clients = 3}} {
  func.func public @main(%rates: tensor<5xf32>, %model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<5xf32>, tensor<f32>) {
    %rate_models = "mr.broadcast"(%model) {placement = "rates"} : (tensor<2xf32>) -> tensor<5x2xf32>
    %rate_data = "mr.broadcast"(%data) {placement = "rates"} : (tensor<3x2xf32>) -> tensor<5x3x2xf32>
    %losses = "mr.map"(%rates, %rate_models, %rate_data) ({
    ^bb0(%rate: tensor<f32>, %start: tensor<2xf32>, %rows: tensor<3x2xf32>):
      %first = stablehlo.constant dense<0> : tensor<i32>
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %end:2 = stablehlo.while(%step = %first, %now = %start) : tensor<i32>, tensor<2xf32>
      cond {
        %steps = stablehlo.constant dense<3> : tensor<i32>
        %more = stablehlo.compare LT, %step, %steps, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %models = "mr.broadcast"(%now) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
        %gradients = "mr.map"(%models, %rows) ({
        ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
          %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
          %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
          %1 = stablehlo.subtract %0, %one : tensor<f32>
          %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
          %3 = stablehlo.multiply %2, %y : tensor<2xf32>
          "mr.return"(%3) : (tensor<2xf32>) -> ()
        }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
        %gradient = "mr.reduce_mean"(%gradients) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
        %rate_row = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %change = stablehlo.multiply %rate_row, %gradient : tensor<2xf32>
        %next = stablehlo.subtract %now, %change : tensor<2xf32>
        %increment = stablehlo.constant dense<1> : tensor<i32>
        %following = stablehlo.add %step, %increment : tensor<i32>
        stablehlo.return %following, %next : tensor<i32>, tensor<2xf32>
      }
      %final_models = "mr.broadcast"(%end#1) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
      %client_losses = "mr.map"(%final_models, %rows) ({
      ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
        %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
        %1 = stablehlo.subtract %0, %one : tensor<f32>
        %2 = stablehlo.multiply %1, %1 : tensor<f32>
        "mr.return"(%2) : (tensor<f32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
      %mean = "mr.reduce_mean"(%client_losses) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
      %loss = stablehlo.multiply %half, %mean : tensor<f32>
      "mr.return"(%loss) : (tensor<f32>) -> ()
    }) {placement = "rates", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<5xf32>, tensor<5x2xf32>, tensor<5x3x2xf32>) -> tensor<5xf32>
    %best = "mr.reduce_min"(%losses) {placement = "rates"} : (tensor<5xf32>) -> tensor<f32>
    return %losses, %best : tensor<5xf32>, tensor<f32>
  }
}
