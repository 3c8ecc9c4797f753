// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Padding counts where the region is no usual combiner, and makes no difference to one that is.
func.func @last_of_each() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %a, dense<[2, 3, 4, 0]> : tensor<4xi32>
  return
}

func.func @as_padded() {
  %i = stablehlo.iota dim = 0 : tensor<1274xf32>
  %sines = stablehlo.sine %i : tensor<1274xf32>
  %x = stablehlo.reshape %sines : (tensor<1274xf32>) -> tensor<2x7x13x7xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %padded = stablehlo.pad %x, %low, low = [0, 0, 2, 1], high = [0, 0, 1, 2], interior = [0, 0, 0, 0] : (tensor<2x7x13x7xf32>, tensor<f32>) -> tensor<2x7x16x10xf32>
  %a = "stablehlo.reduce_window"(%x, %low) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 3, 4>, window_strides = array<i64: 1, 1, 2, 2>, window_dilations = array<i64: 1, 1, 2, 1>, padding = dense<[[0, 0], [0, 0], [2, 1], [1, 2]]> : tensor<4x2xi64>} : (tensor<2x7x13x7xf32>, tensor<f32>) -> tensor<2x7x6x4xf32>
  %b = "stablehlo.reduce_window"(%padded, %low) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 3, 4>, window_strides = array<i64: 1, 1, 2, 2>, window_dilations = array<i64: 1, 1, 2, 1>} : (tensor<2x7x16x10xf32>, tensor<f32>) -> tensor<2x7x6x4xf32>
  check.expect_eq %a, %b : tensor<2x7x6x4xf32>
  return
}

// A window that is cut off on both sides, and one that lies in the padding alone.
func.func @cut_off_and_outside() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, padding = dense<[[3, 0], [-1, -1]]> : tensor<2x2xi64>} : (tensor<2x4xf32>, tensor<f32>) -> tensor<4x1xf32>
  check.expect_eq_const %a, dense<[[0.0], [0.0], [5.0], [18.0]]> : tensor<4x1xf32>
  return
}
