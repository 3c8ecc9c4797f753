// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Few results of many elements: over dimensions apart, over columns, with NaN and zeros of both signs.
func.func @dimensions_apart() {
  %i = stablehlo.iota dim = 0 : tensor<33600xi32>
  %x = stablehlo.reshape %i : (tensor<33600xi32>) -> tensor<32x3x50x7xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<32x3x50x7xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %a, dense<[184234400, 188154400, 192074400]> : tensor<3xi32>
  %b = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<32x3x50x7xi32>, tensor<i32>) -> tensor<7xi32>
  check.expect_eq_const %b, dense<[33593, 33594, 33595, 33596, 33597, 33598, 33599]> : tensor<7xi32>
  %c = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<32x3x50x7xi32>, tensor<i32>) -> tensor<3x7xi32>
  %e = stablehlo.slice %x [31:32, 0:3, 49:50, 0:7] : (tensor<32x3x50x7xi32>) -> tensor<1x3x1x7xi32>
  %d = stablehlo.reshape %e : (tensor<1x3x1x7xi32>) -> tensor<3x7xi32>
  check.expect_eq %c, %d : tensor<3x7xi32>
  return
}

func.func @columns() {
  %i = stablehlo.iota dim = 0 : tensor<5003x16xf64>
  %x = stablehlo.iota dim = 1 : tensor<5003x16xf64>
  %y = stablehlo.add %i, %x : tensor<5003x16xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %a = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5003x16xf64>, tensor<f64>) -> tensor<16xf64>
  %k = stablehlo.iota dim = 0 : tensor<16xf64>
  %n = stablehlo.constant dense<5003.0> : tensor<16xf64>
  %first = stablehlo.constant dense<12512503.0> : tensor<16xf64>
  %more = stablehlo.multiply %k, %n : tensor<16xf64>
  %b = stablehlo.add %first, %more : tensor<16xf64>
  check.expect_eq %a, %b : tensor<16xf64>
  return
}

func.func @extrema() {
  %i = stablehlo.iota dim = 1 : tensor<4x300xi32>
  %row = stablehlo.iota dim = 0 : tensor<4x300xi32>
  %at = stablehlo.constant dense<171> : tensor<4x300xi32>
  %is = stablehlo.compare EQ, %i, %at : (tensor<4x300xi32>, tensor<4x300xi32>) -> tensor<4x300xi1>
  %two = stablehlo.constant dense<2> : tensor<4x300xi32>
  %early = stablehlo.compare LT, %row, %two : (tensor<4x300xi32>, tensor<4x300xi32>) -> tensor<4x300xi1>
  %neg = stablehlo.constant dense<-0.0> : tensor<4x300xf32>
  %pos = stablehlo.constant dense<0.0> : tensor<4x300xf32>
  %nan = stablehlo.constant dense<0xFFC00000> : tensor<4x300xf32>
  %other = stablehlo.select %early, %nan, %pos : tensor<4x300xi1>, tensor<4x300xf32>
  %x = stablehlo.select %is, %other, %neg : tensor<4x300xi1>, tensor<4x300xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x300xf32>, tensor<f32>) -> tensor<4xf32>
  %min = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<4x300xf32>, tensor<f32>) -> tensor<4xf32>
  %is_max = stablehlo.compare EQ, %max, %max : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %is_max, dense<[false, false, true, true]> : tensor<4xi1>
  %is_min = stablehlo.compare EQ, %min, %min : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %is_min, dense<[false, false, true, true]> : tensor<4xi1>
  %numbers = stablehlo.slice %max [2:4] : (tensor<4xf32>) -> tensor<2xf32>
  %bits = stablehlo.bitcast_convert %numbers : (tensor<2xf32>) -> tensor<2xi32>
  check.expect_eq_const %bits, dense<0> : tensor<2xi32>
  %lowest = stablehlo.slice %min [2:4] : (tensor<4xf32>) -> tensor<2xf32>
  %low_bits = stablehlo.bitcast_convert %lowest : (tensor<2xf32>) -> tensor<2xi32>
  check.expect_eq_const %low_bits, dense<-2147483648> : tensor<2xi32>
  return
}

// Numbers at the ends of integers' ranges.
func.func @to_integers() {
  %x = stablehlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 2147483520.0, 2147483648.0, -2147483648.0, 127.9, -128.9, 255.5, -0.5]> : tensor<10xf32>
  %a = stablehlo.convert %x : (tensor<10xf32>) -> tensor<10xi32>
  check.expect_eq_const %a, dense<[0, 2147483647, -2147483648, 2147483520, 2147483647, -2147483648, 127, -128, 255, 0]> : tensor<10xi32>
  %b = stablehlo.convert %x : (tensor<10xf32>) -> tensor<10xi8>
  check.expect_eq_const %b, dense<[0, 127, -128, 127, 127, -128, 127, -128, 127, 0]> : tensor<10xi8>
  %c = stablehlo.convert %x : (tensor<10xf32>) -> tensor<10xui8>
  check.expect_eq_const %c, dense<[0, 255, 0, 255, 255, 0, 127, 0, 255, 0]> : tensor<10xui8>
  %d = stablehlo.convert %x : (tensor<10xf32>) -> tensor<10xi64>
  check.expect_eq_const %d, dense<[0, 9223372036854775807, -9223372036854775808, 2147483520, 2147483648, -2147483648, 127, -128, 255, 0]> : tensor<10xi64>
  return
}
