// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The placement's axis elsewhere than in front: operands with it at 1 and at 2, an operand that is the same for all, a
// result with it at 1, and a result that does not depend on the partition.
module @map_axes attributes {mr.placements = {clients = 5}} {
  func.func public @main(%x: tensor<2x5xf32>, %y: tensor<3x2x5xf32>, %same: tensor<2xf32>) -> (tensor<2x5xf32>, tensor<5x3xf32>, tensor<2xf32>, tensor<3xf32>) {
    %out:3 = "mr.map"(%x, %y, %same) ({
    ^bb0(%own_x: tensor<2xf32>, %own_y: tensor<3x2xf32>, %common: tensor<2xf32>):
      %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %0 = stablehlo.add %own_x, %common : tensor<2xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
      %2 = stablehlo.multiply %own_y, %1 : tensor<3x2xf32>
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
      %4 = stablehlo.add %common, %common : tensor<2xf32>
      "mr.return"(%0, %3, %4) : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 1, 2, -1>, out_axes = array<i64: 1, 0, -1>} : (tensor<2x5xf32>, tensor<3x2x5xf32>, tensor<2xf32>) -> (tensor<2x5xf32>, tensor<5x3xf32>, tensor<2xf32>)
    %sum = "mr.reduce_sum"(%out#1) {placement = "clients"} : (tensor<5x3xf32>) -> tensor<3xf32>
    return %out#0, %out#1, %out#2, %sum : tensor<2x5xf32>, tensor<5x3xf32>, tensor<2xf32>, tensor<3xf32>
  }
}
