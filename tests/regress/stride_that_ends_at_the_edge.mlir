// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A window of one element whose strides take the last element too: the others are skipped all the same.
func.func @convolution() {
  %a = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %k = stablehlo.constant dense<2.0> : tensor<1x1x1xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1xf32>
  check.expect_eq_const %0, dense<[[[2.0], [6.0]]]> : tensor<1x2x1xf32>
  return
}
