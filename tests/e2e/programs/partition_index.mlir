// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which partition: in a map without operands, mixed with data, as the seed of a loop's length, and in nested maps,
// where the placement's name selects the level (default: the innermost).
module @partition_index attributes {mr.placements = {hosts = 3, clients = 2}} {
  func.func public @main(%x: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3x2xi32>, tensor<i32>) {
    %index = "mr.map"() ({
      %0 = "mr.partition_index"() : () -> tensor<i32>
      "mr.return"(%0) : (tensor<i32>) -> ()
    }) {placement = "hosts", in_axes = array<i64>, out_axes = array<i64: 0>} : () -> tensor<3xi32>
    %scaled = "mr.map"(%x) ({
    ^bb0(%own: tensor<f32>):
      %0 = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
      %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<f32>
      %2 = stablehlo.multiply %own, %1 : tensor<f32>
      "mr.return"(%2) : (tensor<f32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
    // 3 to the power of the index, by as many multiplications.
    %powers = "mr.map"() ({
      %limit = "mr.partition_index"() : () -> tensor<i32>
      %first = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %end:2 = stablehlo.while(%i = %first, %power = %one) : tensor<i32>, tensor<i32>
      cond {
        %more = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %1 = stablehlo.multiply %power, %three : tensor<i32>
        %2 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
      }
      "mr.return"(%end#1) : (tensor<i32>) -> ()
    }) {placement = "hosts", in_axes = array<i64>, out_axes = array<i64: 0>} : () -> tensor<3xi32>
    %pairs = "mr.map"() ({
      %row = "mr.map"() ({
        %host = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
        %client = "mr.partition_index"() : () -> tensor<i32>
        %ten = stablehlo.constant dense<10> : tensor<i32>
        %0 = stablehlo.multiply %host, %ten : tensor<i32>
        %1 = stablehlo.add %0, %client : tensor<i32>
        "mr.return"(%1) : (tensor<i32>) -> ()
      }) {placement = "clients", in_axes = array<i64>, out_axes = array<i64: 0>} : () -> tensor<2xi32>
      "mr.return"(%row) : (tensor<2xi32>) -> ()
    }) {placement = "hosts", in_axes = array<i64>, out_axes = array<i64: 0>} : () -> tensor<3x2xi32>
    %rows = "mr.reduce_sum"(%pairs) {placement = "hosts"} : (tensor<3x2xi32>) -> tensor<2xi32>
    %total = "mr.reduce_sum"(%rows) {placement = "clients"} : (tensor<2xi32>) -> tensor<i32>
    return %index, %scaled, %powers, %pairs, %total : tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3x2xi32>, tensor<i32>
  }
}
