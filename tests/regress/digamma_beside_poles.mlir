// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Beside a pole digamma is about the negative reciprocal of the distance from it, on both sides.
func.func @single() {
  %x = stablehlo.constant dense<[1.0e-30, -1.0e-30, 1.0e-10, -1.0e-10, 1.0e-7, -1.0e-7, -2.99999905, -3.00000095]> : tensor<8xf32>
  %d = chlo.digamma %x : tensor<8xf32> -> tensor<8xf32>
  %e = stablehlo.constant dense<[-1.0e30, 1.0e30, -1.0e10, 1.0e10, -1.00000006e7, 9999999.4, -1048574.74, 1048577.26]> : tensor<8xf32>
  check.expect_close %d, %e, max_ulp_difference = 16 : tensor<8xf32>, tensor<8xf32>
  return
}
func.func @double() {
  %x = stablehlo.constant dense<[1.0e-100, -1.0e-100, 1.0e-10, -1.0e-10]> : tensor<4xf64>
  %d = chlo.digamma %x : tensor<4xf64> -> tensor<4xf64>
  %e = stablehlo.constant dense<[-1.0e100, 1.0e100, -10000000000.577215665, 9999999999.422784335]> : tensor<4xf64>
  check.expect_close %d, %e, max_ulp_difference = 16 : tensor<4xf64>, tensor<4xf64>
  return
}
