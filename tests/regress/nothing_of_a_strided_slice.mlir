// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// No elements of a slice with a stride, from its end: behind the end of the array if counted there.
func.func @nothing() {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %b = stablehlo.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %0 = stablehlo.slice %a [3:4:3] : (tensor<5xf32>) -> tensor<1xf32>
  %1 = stablehlo.slice %0 [1:1] : (tensor<1xf32>) -> tensor<0xf32>
  %2 = stablehlo.concatenate %1, %b, dim = 0 : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %2, dense<[7.0, 8.0]> : tensor<2xf32>
  func.return
}
