// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// n = 1: every reduction gives the one partition's value; on more ranks than one, all others are empty.
module @one_partition attributes {mr.placements = {clients = 1}} {
  func.func public @main(%x: tensor<2xf32>, %w: tensor<1xf32>) -> (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xi32>) {
    %all_x = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<1x2xf32>
    %mapped:2 = "mr.map"(%all_x) ({
    ^bb0(%own: tensor<2xf32>):
      %0 = stablehlo.multiply %own, %own : tensor<2xf32>
      %1 = stablehlo.negate %0 : tensor<2xf32>
      %2 = "mr.partition_index"() : () -> tensor<i32>
      "mr.return"(%1, %2) : (tensor<2xf32>, tensor<i32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0, 0>} : (tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1xi32>)
    %sum = "mr.reduce_sum"(%mapped#0) {placement = "clients"} : (tensor<1x2xf32>) -> tensor<2xf32>
    %mean = "mr.reduce_mean"(%mapped#0) {placement = "clients"} : (tensor<1x2xf32>) -> tensor<2xf32>
    %max = "mr.reduce_max"(%mapped#0) {placement = "clients"} : (tensor<1x2xf32>) -> tensor<2xf32>
    %min = "mr.reduce_min"(%mapped#0) {placement = "clients"} : (tensor<1x2xf32>) -> tensor<2xf32>
    %weighted = "mr.reduce_weighted_mean"(%mapped#0, %w) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %mapped#0, %sum, %mean, %max, %min, %weighted, %mapped#1 : tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xi32>
  }
}
