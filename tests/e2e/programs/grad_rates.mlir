// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rates that tune themselves: the server's, the model kept where it is; the local one, the model advancing.
module @grad_rates attributes {mr.placements = {clients = 3}} {
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
  func.func private @step(%x: tensor<2xf32>, %y: tensor<2xf32>, %rate: tensor<f32>) -> tensor<2xf32> {
    %slope = "mr.grad"(%x, %y) {callee = @loss} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %0 = stablehlo.multiply %rates, %slope : tensor<2xf32>
    %1 = stablehlo.subtract %x, %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @round(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> tensor<2xf32> {
    %models = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %rates = "mr.broadcast"(%rate) {placement = "clients"} : (tensor<f32>) -> tensor<3xf32>
    %trained = "mr.map"(%models, %data, %rates) ({
    ^bb0(%p: tensor<2xf32>, %y: tensor<2xf32>, %r: tensor<f32>):
      %1 = func.call @step(%p, %y, %r) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %2 = func.call @step(%1, %y, %r) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %3 = func.call @step(%2, %y, %r) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      "mr.return"(%3) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
    %mean = "mr.reduce_mean"(%trained) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %mean : tensor<2xf32>
  }
  func.func private @after(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> tensor<f32> {
    %next = func.call @round(%x, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %0 = func.call @mean_loss(%next, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @moved(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %delta: tensor<2xf32>, %server_rate: tensor<f32>) -> tensor<f32> {
    %rates = stablehlo.broadcast_in_dim %server_rate, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %0 = stablehlo.multiply %rates, %delta : tensor<2xf32>
    %1 = stablehlo.add %x, %0 : tensor<2xf32>
    %2 = func.call @mean_loss(%1, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @tuned(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %delta: tensor<2xf32>, %server_rate: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %h = "mr.grad"(%x, %data, %delta, %server_rate) {callee = @moved, wrt = array<i64: 3>} : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %rate = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %0 = stablehlo.multiply %rate, %h : tensor<f32>
    %1 = stablehlo.subtract %server_rate, %0 : tensor<f32>
    return %1, %h : tensor<f32>, tensor<f32>
  }
  func.func private @advanced(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<f32>) {
    %next = func.call @round(%x, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %0:2 = "mr.grad"(%x, %data, %rate) {callee = @after, wrt = array<i64: 2>, value = true} : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %small = stablehlo.constant dense<1.000000e-06> : tensor<f32>
    %1 = stablehlo.multiply %small, %0#1 : tensor<f32>
    %2 = stablehlo.subtract %rate, %1 : tensor<f32>
    return %next, %2, %0#0 : tensor<2xf32>, tensor<f32>, tensor<f32>
  }
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %next = call @round(%model, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %delta = stablehlo.subtract %next, %model : tensor<2xf32>
    %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %s1:2 = call @tuned(%model, %data, %delta, %one) : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %s2:2 = call @tuned(%model, %data, %delta, %s1#0) : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %s3:2 = call @tuned(%model, %data, %delta, %s2#0) : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %r1:3 = call @advanced(%model, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<f32>)
    %r2:3 = call @advanced(%r1#0, %data, %r1#1) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<f32>)
    %r3:3 = call @advanced(%r2#0, %data, %r2#1) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<f32>)
    return %s1#1, %s1#0, %s2#0, %s3#0, %r1#1, %r2#1, %r1#2, %r2#2, %r3#2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
