// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// PAPA: after three local steps each model moves a tenth of the way to the average (alpha = 0.9).
module @papa attributes {mr.placements = {clients = 3}} {
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> tensor<3x2xf32> {
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
    %average = "mr.reduce_mean"(%trained) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %averages = "mr.broadcast"(%average) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %moved = "mr.map"(%trained, %averages) ({
    ^bb0(%own: tensor<2xf32>, %common: tensor<2xf32>):
      %alpha = stablehlo.constant dense<0.899999976> : tensor<2xf32>
      %rest = stablehlo.constant dense<1.000000e-01> : tensor<2xf32>
      %0 = stablehlo.multiply %alpha, %own : tensor<2xf32>
      %1 = stablehlo.multiply %rest, %common : tensor<2xf32>
      %2 = stablehlo.add %0, %1 : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %moved : tensor<3x2xf32>
  }
}
