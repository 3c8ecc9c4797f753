// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where few elements of a sort are read, equal ones are still the first in order; total order knows signs of zero and NaN.
func.func @ties() {
  %i = stablehlo.iota dim = 1 : tensor<2x40xi32>
  %seven = stablehlo.constant dense<7> : tensor<2x40xi32>
  %five = stablehlo.constant dense<5> : tensor<2x40xi32>
  %m = stablehlo.multiply %i, %seven : tensor<2x40xi32>
  %key = stablehlo.remainder %m, %five : tensor<2x40xi32>
  %0:2 = "stablehlo.sort"(%key, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %2 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<2x40xi32>, tensor<2x40xi32>) -> (tensor<2x40xi32>, tensor<2x40xi32>)
  %1 = stablehlo.slice %0#1 [0:2, 1:10:2] : (tensor<2x40xi32>) -> tensor<2x5xi32>
  check.expect_eq_const %1, dense<[[7, 17, 27, 37, 9], [7, 17, 27, 37, 9]]> : tensor<2x5xi32>
  return
}
func.func @total_order() {
  %x = stablehlo.constant dense<[1.0, -0.0, 0x7FC00000, 3.0, 0.0, 0xFFC00000, -2.0, 5.0, -0.0, 0.0, 0x7F800000, 0xFF800000, 7.0, 2.0, 9.0, 8.0, 6.0, 4.0, -1.0, -3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<30xf32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<30xf32>) -> tensor<30xf32>
  %1 = stablehlo.slice %0 [0:7] : (tensor<30xf32>) -> tensor<7xf32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<7xf32>) -> tensor<7xui32>
  check.expect_eq_const %2, dense<[0xFFC00000, 0xFF800000, 0xC0400000, 0xC0000000, 0xBF800000, 0x80000000, 0x80000000]> : tensor<7xui32>
  return
}
