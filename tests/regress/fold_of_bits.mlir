// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A fold of integers by "and" starts from all bits, in compiled programs too.
module attributes {mr.placements = {clients = 5}} {
func.func public @main() {
  %a = stablehlo.constant dense<[[7, -2], [15, -18], [31, -34], [63, -66], [127, -130]]> : tensor<5x2xi32>
  %0:2 = "mr.foreach"(%a) ({
  ^bb0(%first: tensor<i64>, %count: tensor<i32>, %x: tensor<2x2xi32>):
    "mr.return"(%x, %x) : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
  }) {placement = "clients", block = 2 : i64, results = ["and", "or"], operand_segments = array<i64: 1, 0>} : (tensor<5x2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[7, -242]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[127, -2]> : tensor<2xi32>
  return
}
}
