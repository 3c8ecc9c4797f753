// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Indices of 64 bits whose low half lies within the array: a scatter drops them, an update is clamped.
func.func public @main(%x: tensor<6xi32>, %unsigned: tensor<4x1xui64>, %signed: tensor<5x1xi64>, %windows: tensor<3x1xi64>, %start: tensor<i64>, %large: tensor<ui32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) {
  %ones = stablehlo.constant dense<1> : tensor<4xi32>
  %0 = "stablehlo.scatter"(%x, %unsigned, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6xi32>, tensor<4x1xui64>, tensor<4xi32>) -> tensor<6xi32>
  %twos = stablehlo.constant dense<2> : tensor<5xi32>
  %1 = "stablehlo.scatter"(%x, %signed, %twos) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6xi32>, tensor<5x1xi64>, tensor<5xi32>) -> tensor<6xi32>
  %window = stablehlo.constant dense<3> : tensor<3x2xi32>
  %2 = "stablehlo.scatter"(%x, %windows, %window) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6xi32>, tensor<3x1xi64>, tensor<3x2xi32>) -> tensor<6xi32>
  %pair = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %3 = stablehlo.dynamic_update_slice %x, %pair, %start : (tensor<6xi32>, tensor<2xi32>, tensor<i64>) -> tensor<6xi32>
  %4 = stablehlo.dynamic_update_slice %x, %pair, %large : (tensor<6xi32>, tensor<2xi32>, tensor<ui32>) -> tensor<6xi32>
  return %0, %1, %2, %3, %4 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>
}
