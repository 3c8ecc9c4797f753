// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Windows against what they must come to: scans of ones count, a convolution with ones sums windows,
// and what a pooling selects gets the sum of its windows.
module @windows {
  func.func @long_scan() {
    %one = stablehlo.constant dense<1.000000e+00> : tensor<5003xf32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%one, %zero) <{window_dimensions = array<i64: 5003>, padding = dense<[[5002, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<5003xf32>, tensor<f32>) -> tensor<5003xf32>
    %i = stablehlo.iota dim = 0 : tensor<5003xf32>
    %1 = stablehlo.add %i, %one : tensor<5003xf32>
    check.expect_eq %0, %1 : tensor<5003xf32>
    return
  }
  func.func @scan_backwards_between_dimensions() {
    %one = stablehlo.constant dense<1> : tensor<3x1000x2xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%one, %zero) <{window_dimensions = array<i64: 1, 1000, 1>, padding = dense<[[0, 0], [0, 999], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %z = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) : (tensor<3x1000x2xi32>, tensor<i32>) -> tensor<3x1000x2xi32>
    %i = stablehlo.iota dim = 1 : tensor<3x1000x2xi32>
    %n = stablehlo.constant dense<1000> : tensor<3x1000x2xi32>
    %1 = stablehlo.subtract %n, %i : tensor<3x1000x2xi32>
    check.expect_eq %0, %1 : tensor<3x1000x2xi32>
    return
  }
  func.func @scan_of_a_region_that_keeps_order() {
    %x = stablehlo.iota dim = 0 : tensor<900xi32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%x, %none) <{window_dimensions = array<i64: 900>, padding = dense<[[899, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %m = stablehlo.constant dense<-1> : tensor<i32>
      %c = stablehlo.compare EQ, %b, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %s = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<900xi32>, tensor<i32>) -> tensor<900xi32>
    check.expect_eq %0, %x : tensor<900xi32>
    return
  }
  func.func @convolution_with_ones_sums_windows() {
    %i = stablehlo.iota dim = 0 : tensor<210xi32>
    %x = stablehlo.reshape %i : (tensor<210xi32>) -> tensor<2x5x7x3xi32>
    %ones = stablehlo.constant dense<1> : tensor<3x2x3x9xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.convolution(%x, %ones) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 2], rhs_dilate = [1, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x3xi32>, tensor<3x2x3x9xi32>) -> tensor<2x3x11x9xi32>
    %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3, 2, 3>, window_strides = array<i64: 1, 2, 1, 1>, base_dilations = array<i64: 1, 1, 2, 1>, window_dilations = array<i64: 1, 1, 3, 1>, padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<2x5x7x3xi32>, tensor<i32>) -> tensor<2x3x11x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<2x3x11x1xi32>) -> tensor<2x3x11x9xi32>
    check.expect_eq %0, %2 : tensor<2x3x11x9xi32>
    return
  }
  func.func @pooling_selects_the_last_of_each_window() {
    %i = stablehlo.iota dim = 0 : tensor<7xi32>
    %ones = stablehlo.constant dense<1> : tensor<4xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.select_and_scatter"(%i, %ones, %zero) <{window_dimensions = array<i64: 4>, window_strides = array<i64: 2>, padding = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<7xi32>, tensor<4xi32>, tensor<i32>) -> tensor<7xi32>
    check.expect_eq_const %0, dense<[0, 0, 1, 0, 1, 0, 2]> : tensor<7xi32>
    return
  }
}
