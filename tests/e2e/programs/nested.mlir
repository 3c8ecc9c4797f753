// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Clients inside hosts: each host averages its clients' gradients, weighted, and takes a step of its own; the server
// averages the hosts. Then the sum of all losses at the new model, reduced over clients and hosts.
module @nested attributes {mr.placements = {hosts = 2, clients = 3}} {
  func.func public @main(%model: tensor<2xf32>, %data: tensor<2x3x2xf32>, %weight: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x2xf32>, tensor<f32>) {
    %host_models = "mr.broadcast"(%model) {placement = "hosts"} : (tensor<2xf32>) -> tensor<2x2xf32>
    %stepped = "mr.map"(%host_models, %data, %weight) ({
    ^bb0(%host_model: tensor<2xf32>, %host_data: tensor<3x2xf32>, %host_weight: tensor<3xf32>):
      %client_models = "mr.broadcast"(%host_model) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
      %gradients = "mr.map"(%client_models, %host_data) ({
      ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
        %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
        %1 = stablehlo.subtract %0, %one : tensor<f32>
        %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %3 = stablehlo.multiply %2, %y : tensor<2xf32>
        "mr.return"(%3) : (tensor<2xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
      %gradient = "mr.reduce_weighted_mean"(%gradients, %host_weight) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
      %rate = stablehlo.constant dense<1.000000e-02> : tensor<2xf32>
      %step = stablehlo.multiply %rate, %gradient : tensor<2xf32>
      %next = stablehlo.subtract %host_model, %step : tensor<2xf32>
      "mr.return"(%next) : (tensor<2xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<2x2xf32>, tensor<2x3x2xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    %new_model = "mr.reduce_mean"(%stepped) {placement = "hosts"} : (tensor<2x2xf32>) -> tensor<2xf32>
    %new_models = "mr.broadcast"(%new_model) {placement = "hosts"} : (tensor<2xf32>) -> tensor<2x2xf32>
    %host_losses = "mr.map"(%new_models, %data) ({
    ^bb0(%host_model: tensor<2xf32>, %host_data: tensor<3x2xf32>):
      %client_models = "mr.broadcast"(%host_model) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
      %losses = "mr.map"(%client_models, %host_data) ({
      ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
        %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
        %1 = stablehlo.subtract %0, %one : tensor<f32>
        %2 = stablehlo.multiply %1, %1 : tensor<f32>
        %3 = stablehlo.multiply %half, %2 : tensor<f32>
        "mr.return"(%3) : (tensor<f32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
      %host_loss = "mr.reduce_sum"(%losses) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
      "mr.return"(%host_loss) : (tensor<f32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<2x2xf32>, tensor<2x3x2xf32>) -> tensor<2xf32>
    %loss = "mr.reduce_sum"(%host_losses) {placement = "hosts"} : (tensor<2xf32>) -> tensor<f32>
    return %new_model, %stepped, %loss : tensor<2xf32>, tensor<2x2xf32>, tensor<f32>
  }
}
