// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One row of each batch against a matrix whose rows are apart: vectors along the columns, and items that are neighbours
// in the operand that is read one element at a time.  Sorting puts both operands into memory.
func.func @rows() {
  %0 = stablehlo.constant dense<[[-2.0, 1.0], [4.0, 0.0], [3.0, -1.0], [2.0, -2.0], [1.0, 4.0]]> : tensor<5x2xf32>
  %1 = stablehlo.constant dense<[[[-5.0, -2.0, 1.0, 4.0], [-4.0, -1.0, 2.0, 5.0]], [[-3.0, 0.0, 3.0, -5.0], [-2.0, 1.0, 4.0, -4.0]], [[-1.0, 2.0, 5.0, -3.0], [0.0, 3.0, -5.0, -2.0]], [[1.0, 4.0, -4.0, -1.0], [2.0, 5.0, -3.0, 0.0]], [[3.0, -5.0, -2.0, 1.0], [4.0, -4.0, -1.0, 2.0]]]> : tensor<5x2x4xf32>
  %a = "stablehlo.sort"(%0) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %lt = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<5x2xf32>) -> tensor<5x2xf32>
  %b = "stablehlo.sort"(%1) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %lt = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  %c = stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<5x2xf32>, tensor<5x2x4xf32>) -> tensor<2x4xf32>
  %d = stablehlo.multiply %c, %c : tensor<2x4xf32>
  check.expect_eq_const %d, dense<[[400.0, 900.0, 1369.0, 576.0], [784.0, 1024.0, 961.0, 1024.0]]> : tensor<2x4xf32>
  return
}
