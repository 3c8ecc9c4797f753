// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes of barriers and returns stand before the values; a structure's list of fields may end in a comma; a mesh may
// have its full name; what is compared may stand in parentheses.
sdy.mesh @mesh = #sdy.mesh<["x"=2]>
sdy.mesh @"other mesh" = <["y"=1]>
func.func @barrier() -> tensor<3xf32> {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} %a, %a : tensor<3xf32>, tensor<3xf32>
  %1 = stablehlo.add %0#0, %0#1 : tensor<3xf32>
  check.expect_eq_const %1, dense<[2.0, 4.0, 6.0]> : tensor<3xf32>
  return {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} %1 : tensor<3xf32>
}
func.func @trailing_commas() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = "stablehlo.dot_general"(%a, %a) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0],
    >
  } : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf32>
  %i = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi32>
  %1 = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1,
    >,
    slice_sizes = array<i64: 1, 2>
  } : (tensor<2x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  check.expect_eq_const %1, dense<[[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]> : tensor<3x2xf32>
  return
}
func.func @checks_in_parentheses() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.add %a, %a : tensor<2xf32>
  check.expect_eq_const(%b, dense<[2.0, 4.0]> : tensor<2xf32>) : tensor<2xf32>
  check.expect_almost_eq_const(%b, dense<[2.00001, 4.0]> : tensor<2xf32>) : tensor<2xf32>
  check.expect_eq(%b, %b) : tensor<2xf32>
  return
}
