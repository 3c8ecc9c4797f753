// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Two placements side by side, of 5 and 7 partitions. The second's map uses what the first reduced; both results meet
// in plain code.
module @side_by_side attributes {mr.placements = {clients = 5, sensors = 7}} {
  func.func public @main(%c: tensor<5x2xf32>, %s: tensor<7x2xf32>) -> (tensor<2xf32>, tensor<7x2xf32>, tensor<2xf32>) {
    %centre = "mr.reduce_mean"(%c) {placement = "clients"} : (tensor<5x2xf32>) -> tensor<2xf32>
    %centres = "mr.broadcast"(%centre) {placement = "sensors"} : (tensor<2xf32>) -> tensor<7x2xf32>
    %distance = "mr.map"(%centres, %s) ({
    ^bb0(%m: tensor<2xf32>, %own: tensor<2xf32>):
      %0 = stablehlo.subtract %own, %m : tensor<2xf32>
      %1 = stablehlo.abs %0 : tensor<2xf32>
      "mr.return"(%1) : (tensor<2xf32>) -> ()
    }) {placement = "sensors", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<7x2xf32>, tensor<7x2xf32>) -> tensor<7x2xf32>
    %farthest = "mr.reduce_max"(%distance) {placement = "sensors"} : (tensor<7x2xf32>) -> tensor<2xf32>
    %squares = "mr.map"(%c) ({
    ^bb0(%own: tensor<2xf32>):
      %0 = stablehlo.multiply %own, %own : tensor<2xf32>
      "mr.return"(%0) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<5x2xf32>) -> tensor<5x2xf32>
    %square_sum = "mr.reduce_sum"(%squares) {placement = "clients"} : (tensor<5x2xf32>) -> tensor<2xf32>
    %both = stablehlo.add %farthest, %square_sum : tensor<2xf32>
    return %centre, %distance, %both : tensor<2xf32>, tensor<7x2xf32>, tensor<2xf32>
  }
}
