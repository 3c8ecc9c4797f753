// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// FedOpt: one round of three local steps, then the server's Adagrad, Adam and Yogi from the same mean change, with the
// mean loss of each.
module @fedopt attributes {mr.placements = {clients = 3}} {
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
  func.func private @server_step(%model: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<2xf32> {
    %rate = stablehlo.constant dense<1.000000e-01> : tensor<2xf32>
    %tau = stablehlo.constant dense<1.000000e-03> : tensor<2xf32>
    %0 = stablehlo.sqrt %v : tensor<2xf32>
    %1 = stablehlo.add %0, %tau : tensor<2xf32>
    %2 = stablehlo.multiply %rate, %m : tensor<2xf32>
    %3 = stablehlo.divide %2, %1 : tensor<2xf32>
    %4 = stablehlo.add %model, %3 : tensor<2xf32>
    return %4 : tensor<2xf32>
  }
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>) {
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
    %changes = "mr.map"(%trained, %models) ({
    ^bb0(%own: tensor<2xf32>, %start: tensor<2xf32>):
      %0 = stablehlo.subtract %own, %start : tensor<2xf32>
      "mr.return"(%0) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %change = "mr.reduce_mean"(%changes) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %tenth = stablehlo.constant dense<1.000000e-01> : tensor<2xf32>
    %m = stablehlo.multiply %tenth, %change : tensor<2xf32>
    %v0 = stablehlo.constant dense<1.000000e-06> : tensor<2xf32>
    %hundredth = stablehlo.constant dense<1.000000e-02> : tensor<2xf32>
    %decay = stablehlo.constant dense<0.990000009> : tensor<2xf32>
    %square = stablehlo.multiply %change, %change : tensor<2xf32>
    %small = stablehlo.multiply %hundredth, %square : tensor<2xf32>
    %v_adagrad = stablehlo.add %v0, %square : tensor<2xf32>
    %adagrad = call @server_step(%model, %m, %v_adagrad) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %adagrad_loss = call @mean_loss(%adagrad, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    %decayed = stablehlo.multiply %decay, %v0 : tensor<2xf32>
    %v_adam = stablehlo.add %decayed, %small : tensor<2xf32>
    %adam = call @server_step(%model, %m, %v_adam) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %adam_loss = call @mean_loss(%adam, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    %excess = stablehlo.subtract %v0, %square : tensor<2xf32>
    %sign = stablehlo.sign %excess : tensor<2xf32>
    %signed = stablehlo.multiply %small, %sign : tensor<2xf32>
    %v_yogi = stablehlo.subtract %v0, %signed : tensor<2xf32>
    %yogi = call @server_step(%model, %m, %v_yogi) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %yogi_loss = call @mean_loss(%yogi, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %change, %adagrad, %adagrad_loss, %adam, %adam_loss, %yogi, %yogi_loss : tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>
  }
}
