// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Padding and the holes of a dilated input are zeros that take part: times an infinite weight they are no number.
func.func @padding() {
  %a = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf64>
  %k = stablehlo.constant dense<[[[0x7FF0000000000000]], [[1.0]], [[0.5]]]> : tensor<3x1x1xf64>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf64>, tensor<3x1x1xf64>) -> tensor<1x3x1xf64>
  check.expect_eq_const %0, dense<[[[0x7FF8000000000000], [0x7FF0000000000000], [0x7FF0000000000000]]]> : tensor<1x3x1xf64>
  return
}
func.func @holes() {
  %a = stablehlo.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %k = stablehlo.constant dense<[[[0x7F800000]]]> : tensor<1x1x1xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x1xf32>) -> tensor<1x3x1xf32>
  check.expect_eq_const %0, dense<[[[0x7F800000], [0x7FC00000], [0x7F800000]]]> : tensor<1x3x1xf32>
  return
}
func.func @nothing_but_padding() {
  %a = stablehlo.constant dense<> : tensor<1x0x1xf32>
  %k = stablehlo.constant dense<[[[0x7F800000]], [[1.0]]]> : tensor<2x1x1xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x0x1xf32>, tensor<2x1x1xf32>) -> tensor<1x1x1xf32>
  check.expect_eq_const %0, dense<0x7FC00000> : tensor<1x1x1xf32>
  return
}
func.func @padding_and_holes_of_tiles() {
  %a = stablehlo.constant dense<1.0> : tensor<1x3x4xf32>
  %taps = stablehlo.constant dense<[0x7F800000, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf32>
  %k = stablehlo.broadcast_in_dim %taps, dims = [0] : (tensor<5xf32>) -> tensor<5x4x4xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x4xf32>, tensor<5x4x4xf32>) -> tensor<1x5x4xf32>
  %row = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0x7F800000, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %expected = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<5xf32>) -> tensor<1x5x4xf32>
  check.expect_eq %0, %expected : tensor<1x5x4xf32>
  return
}
