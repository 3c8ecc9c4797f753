// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Elements that are their own 64-bit index: alone in an operation, and beside a scalar.
func.func @alone() {
  %i = stablehlo.iota dim = 0 : tensor<5xi64>
  %0 = stablehlo.popcnt %i : tensor<5xi64>
  check.expect_eq_const %0, dense<[0, 1, 1, 2, 1]> : tensor<5xi64>
  return
}
func.func @beside_a_scalar() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %rows = stablehlo.constant dense<false> : tensor<3x4xi1>
  %j = stablehlo.iota dim = 1 : tensor<1x4xi64>
  %0:2 = stablehlo.while(%k = %zero, %all = %rows) : tensor<i64>, tensor<3x4xi1>
   cond {
    %c = stablehlo.compare LT, %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %ks = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i64>) -> tensor<1x4xi64>
    %is = stablehlo.compare EQ, %j, %ks : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %next = stablehlo.dynamic_update_slice %all, %is, %k, %zero : (tensor<3x4xi1>, tensor<1x4xi1>, tensor<i64>, tensor<i64>) -> tensor<3x4xi1>
    %k1 = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %k1, %next : tensor<i64>, tensor<3x4xi1>
  }
  check.expect_eq_const %0#1, dense<[[true, false, false, false], [false, true, false, false], [false, false, true, false]]> : tensor<3x4xi1>
  return
}
