// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The oracles as functions without arguments that check themselves. The placement has three partitions.
module @checks attributes {mr.placements = {clients = 3}} {
  func.func @weighted_mean() {
    %x = stablehlo.constant dense<[[1.000000e+00, 1.000000e+01], [2.000000e+00, 2.000000e+01], [4.000000e+00, 4.000000e+01]]> : tensor<3x2xf32>
    %w = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 5.000000e+00]> : tensor<3xf32>
    %0 = "mr.reduce_weighted_mean"(%x, %w) {placement = "clients", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
    check.expect_almost_eq_const %0, dense<[3.125000e+00, 3.125000e+01]> : tensor<2xf32>
    return
  }
  func.func @sum_of_broadcast() {
    %x = stablehlo.constant dense<[7, -2]> : tensor<2xi32>
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xi32>) -> tensor<3x2xi32>
    %1 = "mr.reduce_sum"(%0) {placement = "clients"} : (tensor<3x2xi32>) -> tensor<2xi32>
    check.expect_eq_const %1, dense<[21, -6]> : tensor<2xi32>
    return
  }
  func.func @indices() {
    %0 = "mr.map"() ({
      %1 = "mr.partition_index"() : () -> tensor<i32>
      "mr.return"(%1) : (tensor<i32>) -> ()
    }) {placement = "clients", in_axes = array<i64>, out_axes = array<i64: 0>} : () -> tensor<3xi32>
    %2 = stablehlo.iota dim = 0 : tensor<3xi32>
    check.expect_eq %0, %2 : tensor<3xi32>
    return
  }
  func.func @generic_form() {
    %x = "stablehlo.constant"() {value = dense<[1.000000e+00, 2.000000e+00, 6.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
    %0 = "mr.reduce_mean"(%x) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    "check.expect_almost_eq_const"(%0) {value = dense<3.000000e+00> : tensor<f32>} : (tensor<f32>) -> ()
    "func.return"() : () -> ()
  }
}
