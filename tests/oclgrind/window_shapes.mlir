// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Windows at small, odd sizes: convolutions with padding, dilations and groups of both kinds,
// windows that hold padding, scans of one kernel and of three, selections in windows that overlap.
module @window_shapes {
  func.func public @main(%x: tensor<2x7x6x4xf32>, %k: tensor<3x2x2x6xf32>, %b: tensor<4x5x3xf32>, %l: tensor<2x3x10xf32>, %s: tensor<3x6xf32>, %long: tensor<2x301xf32>) -> (tensor<2x7x6x6xf32>, tensor<2x13x10x6xf32>, tensor<2x4x10xf32>, tensor<3x4xf32>, tensor<3x6xf32>, tensor<2x301xf32>, tensor<3x6xf32>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x7x6x6xf32>
    %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x13x10x6xf32>
    %2 = stablehlo.convolution(%b, %l) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x5x3xf32>, tensor<2x3x10xf32>) -> tensor<2x4x10xf32>
    %3 = "stablehlo.reduce_window"(%s, %low) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, window_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x4xf32>
    %4 = "stablehlo.reduce_window"(%s, %zero) <{window_dimensions = array<i64: 1, 6>, padding = dense<[[0, 0], [0, 5]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    %5 = "stablehlo.reduce_window"(%long, %zero) <{window_dimensions = array<i64: 1, 301>, padding = dense<[[0, 0], [300, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<2x301xf32>, tensor<f32>) -> tensor<2x301xf32>
    %6 = "stablehlo.select_and_scatter"(%s, %3, %zero) <{window_dimensions = array<i64: 3, 3>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %r : tensor<i1>
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x6xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2x7x6x6xf32>, tensor<2x13x10x6xf32>, tensor<2x4x10xf32>, tensor<3x4xf32>, tensor<3x6xf32>, tensor<2x301xf32>, tensor<3x6xf32>
  }
}
