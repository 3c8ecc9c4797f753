// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values of lgamma, its derivatives and zeta at poles are XLA's: digamma is NaN at either zero too.
func.func private @sum_of_lgamma(%x: tensor<6xf32>) -> tensor<f32> {
  %0 = chlo.lgamma %x : tensor<6xf32> -> tensor<6xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func @single() {
  // 0, -0, -1, -2, infinity, -infinity
  %x = stablehlo.constant dense<[0.0, -0.0, -1.0, -2.0, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  %l = chlo.lgamma %x : tensor<6xf32> -> tensor<6xf32>
  check.expect_eq_const %l, dense<0x7F800000> : tensor<6xf32>
  %d = chlo.digamma %x : tensor<6xf32> -> tensor<6xf32>
  check.expect_eq_const %d, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %g = "mr.grad"(%x) {callee = @sum_of_lgamma} : (tensor<6xf32>) -> tensor<6xf32>
  check.expect_eq_const %g, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  return
}
func.func @orders() {
  %n = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0x7F800000]> : tensor<10xf32>
  %x = stablehlo.constant dense<[0.0, -0.0, -3.0, 0.0, -0.0, -3.0, 0.0, -0.0, -3.0, 1.0]> : tensor<10xf32>
  %p = chlo.polygamma %n, %x : tensor<10xf32>, tensor<10xf32> -> tensor<10xf32>
  check.expect_eq_const %p, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<10xf32>
  %s = stablehlo.constant dense<[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 0.5]> : tensor<10xf32>
  %z = chlo.zeta %s, %x : tensor<10xf32>, tensor<10xf32> -> tensor<10xf32>
  check.expect_eq_const %z, dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<10xf32>
  return
}
func.func @double() {
  %x = stablehlo.constant dense<[0.0, -0.0, -1.0]> : tensor<3xf64>
  %d = chlo.digamma %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_eq_const %d, dense<0x7FF8000000000000> : tensor<3xf64>
  return
}
func.func @half() {
  %x = stablehlo.constant dense<[0.0, -0.0, -1.0]> : tensor<3xf16>
  %d = chlo.digamma %x : tensor<3xf16> -> tensor<3xf16>
  check.expect_eq_const %d, dense<0x7E00> : tensor<3xf16>
  %y = stablehlo.constant dense<[0.0, -0.0, -1.0]> : tensor<3xbf16>
  %e = chlo.digamma %y : tensor<3xbf16> -> tensor<3xbf16>
  check.expect_eq_const %e, dense<0x7FC0> : tensor<3xbf16>
  return
}
