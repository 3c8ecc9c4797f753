// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Seven partitions divide by no number of ranks from 2 to 6: placed results in their order, reductions of several
// dtypes, and two phases (the variance needs the mean first).
module @indivisible attributes {mr.placements = {clients = 7}} {
  func.func public @main(%x: tensor<7x3xf32>, %d: tensor<7xf64>, %k: tensor<7x2xi32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f64>, tensor<2xi32>, tensor<7x3xf32>, tensor<7xi32>) {
    %mean = "mr.reduce_mean"(%x) {placement = "clients"} : (tensor<7x3xf32>) -> tensor<3xf32>
    %means = "mr.broadcast"(%mean) {placement = "clients"} : (tensor<3xf32>) -> tensor<7x3xf32>
    %away:3 = "mr.map"(%x, %means, %k) ({
    ^bb0(%own: tensor<3xf32>, %m: tensor<3xf32>, %pair: tensor<2xi32>):
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.subtract %own, %m : tensor<3xf32>
      %1 = stablehlo.multiply %0, %0 : tensor<3xf32>
      %2 = stablehlo.reduce(%pair init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
      "mr.return"(%0, %1, %2) : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0, 0>} : (tensor<7x3xf32>, tensor<7x3xf32>, tensor<7x2xi32>) -> (tensor<7x3xf32>, tensor<7x3xf32>, tensor<7xi32>)
    %variance = "mr.reduce_mean"(%away#1) {placement = "clients"} : (tensor<7x3xf32>) -> tensor<3xf32>
    %d_sum = "mr.reduce_sum"(%d) {placement = "clients"} : (tensor<7xf64>) -> tensor<f64>
    %k_sum = "mr.reduce_sum"(%k) {placement = "clients"} : (tensor<7x2xi32>) -> tensor<2xi32>
    return %mean, %variance, %d_sum, %k_sum, %away#0, %away#2 : tensor<3xf32>, tensor<3xf32>, tensor<f64>, tensor<2xi32>, tensor<7x3xf32>, tensor<7xi32>
  }
}
