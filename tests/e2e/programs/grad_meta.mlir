// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Gradients through a round of FedAvg whose local steps are gradients: by the model and by the local rate, after three
// local steps and after one.
module @grad_meta attributes {mr.placements = {clients = 3}} {
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
  func.func private @short_round(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> tensor<2xf32> {
    %models = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %rates = "mr.broadcast"(%rate) {placement = "clients"} : (tensor<f32>) -> tensor<3xf32>
    %trained = "mr.map"(%models, %data, %rates) ({
    ^bb0(%p: tensor<2xf32>, %y: tensor<2xf32>, %r: tensor<f32>):
      %1 = func.call @step(%p, %y, %r) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      "mr.return"(%1) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
    %mean = "mr.reduce_mean"(%trained) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %mean : tensor<2xf32>
  }
  func.func private @after(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> tensor<f32> {
    %next = func.call @round(%x, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %0 = func.call @mean_loss(%next, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @after_short(%x: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> tensor<f32> {
    %next = func.call @short_round(%x, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %0 = func.call @mean_loss(%next, %data) : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func public @main(%model: tensor<2xf32>, %data: tensor<3x2xf32>, %rate: tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>) {
    %next = call @round(%model, %data, %rate) : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %0:3 = "mr.grad"(%model, %data, %rate) {callee = @after, wrt = array<i64: 0, 2>, value = true} : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<2xf32>, tensor<f32>)
    %1:2 = "mr.grad"(%model, %data, %rate) {callee = @after_short, wrt = array<i64: 0, 2>} : (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>)
    return %next, %0#0, %0#1, %0#2, %1#0, %1#1 : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>
  }
}
