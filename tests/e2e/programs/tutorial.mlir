// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The toy problem: loss 0.5*(x.y - 1)^2 of one pair, a map that adds [1, 2], then F, its gradient and its Hessian as
// means over three clients, one step of gradient descent, and F there.
module @tutorial attributes {mr.placements = {clients = 3}} {
  func.func private @loss(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.multiply %x, %y : tensor<2xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.subtract %1, %one : tensor<f32>
    %3 = stablehlo.multiply %2, %2 : tensor<f32>
    %4 = stablehlo.multiply %half, %3 : tensor<f32>
    return %4 : tensor<f32>
  }
  func.func private @mean_loss(%x: tensor<2xf32>, %data: tensor<3x2xf32>) -> tensor<f32> {
    %all_x = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %losses = "mr.map"(%all_x, %data) ({
    ^bb0(%own_x: tensor<2xf32>, %y: tensor<2xf32>):
      %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %0 = stablehlo.multiply %own_x, %y : tensor<2xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.subtract %1, %one : tensor<f32>
      %3 = stablehlo.multiply %2, %2 : tensor<f32>
      %4 = stablehlo.multiply %half, %3 : tensor<f32>
      "mr.return"(%4) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
    %mean = "mr.reduce_mean"(%losses) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %mean : tensor<f32>
  }
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %rows: tensor<3x2xf32>, %offset: tensor<2xf32>, %x: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<f32>, tensor<3x2xf32>, tensor<f32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<f32>) {
    %pair_loss = call @loss(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %offsets = "mr.broadcast"(%offset) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %shifted = "mr.map"(%rows, %offsets) ({
    ^bb0(%row: tensor<2xf32>, %own_offset: tensor<2xf32>):
      %0 = stablehlo.add %row, %own_offset : tensor<2xf32>
      "mr.return"(%0) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %before = call @mean_loss(%x, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    %all_x = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %sent:2 = "mr.map"(%all_x, %data) ({
    ^bb0(%own_x: tensor<2xf32>, %y: tensor<2xf32>):
      %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %0 = stablehlo.multiply %own_x, %y : tensor<2xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.subtract %1, %one : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %4 = stablehlo.multiply %3, %y : tensor<2xf32>
      %5 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
      %6 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
      %7 = stablehlo.multiply %5, %6 : tensor<2x2xf32>
      "mr.return"(%4, %7) : (tensor<2xf32>, tensor<2x2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2x2xf32>)
    %gradient = "mr.reduce_mean"(%sent#0) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %hessian = "mr.reduce_mean"(%sent#1) {placement = "clients"} : (tensor<3x2x2xf32>) -> tensor<2x2xf32>
    %rate = stablehlo.constant dense<1.000000e-02> : tensor<2xf32>
    %step = stablehlo.multiply %rate, %gradient : tensor<2xf32>
    %next = stablehlo.subtract %x, %step : tensor<2xf32>
    %after = call @mean_loss(%next, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %pair_loss, %shifted, %before, %gradient, %hessian, %next, %after : tensor<f32>, tensor<3x2xf32>, tensor<f32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<f32>
  }
}
