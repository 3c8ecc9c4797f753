// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One round: every client sees how far its data are from the model; the model moves half of the
// clients' mean difference.
module attributes {mr.placements = {clients = 3}} {
  func.func public @main(%model: tensor<4xf32>, %data: tensor<3x4xf32>) -> tensor<4xf32> {
    %m = "mr.broadcast"(%model) {placement = "clients"} : (tensor<4xf32>) -> tensor<3x4xf32>
    %d = "mr.map"(%m, %data) ({
    ^bb0(%w: tensor<4xf32>, %x: tensor<4xf32>):
      %difference = stablehlo.subtract %x, %w : tensor<4xf32>
      "mr.return"(%difference) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %mean = "mr.reduce_mean"(%d) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
    %half = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
    %step = stablehlo.multiply %half, %mean : tensor<4xf32>
    %new = stablehlo.add %model, %step : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
