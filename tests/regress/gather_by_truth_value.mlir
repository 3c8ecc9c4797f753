// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Elements taken by an index that is 0 or 1: gcc's vectors hold a truth value as 0 or -1, and gcc 12
// uses that as the index.  Each part has a length of
// its own, else they were one loop.  The last one searches sorted numbers for others, as
// jax.numpy.searchsorted does it.
func.func public @main(%table: tensor<2xf32>, %bytes: tensor<5xui8>, %at: tensor<64xui32>, %x: tensor<60xf32>, %y: tensor<56xf32>, %z: tensor<52xf32>, %sought: tensor<24xf32>) -> (tensor<64xf32>, tensor<60xui8>, tensor<56xf32>, tensor<52xf32>, tensor<24xui32>) {
  %rows = stablehlo.reshape %at : (tensor<64xui32>) -> tensor<64x1xui32>
  %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<64x1xui32>) -> tensor<64xf32>
  %none = stablehlo.constant dense<0.0> : tensor<60xf32>
  %is_above = stablehlo.compare GT, %x, %none : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xi1>
  %above = stablehlo.convert %is_above : (tensor<60xi1>) -> tensor<60xi8>
  %rows_above = stablehlo.reshape %above : (tensor<60xi8>) -> tensor<60x1xi8>
  %1 = "stablehlo.gather"(%bytes, %rows_above) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<5xui8>, tensor<60x1xi8>) -> tensor<60xui8>
  %two = stablehlo.constant dense<2.0> : tensor<56xf32>
  %is_two = stablehlo.compare EQ, %y, %two : (tensor<56xf32>, tensor<56xf32>) -> tensor<56xi1>
  %equal = stablehlo.convert %is_two : (tensor<56xi1>) -> tensor<56xi32>
  %rows_equal = stablehlo.reshape %equal : (tensor<56xi32>) -> tensor<56x1xi32>
  %2 = "stablehlo.gather"(%table, %rows_equal) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<56x1xi32>) -> tensor<56xf32>
  %zeros = stablehlo.constant dense<0> : tensor<52xi32>
  %ones = stablehlo.constant dense<1> : tensor<52xi32>
  %numbers = stablehlo.convert %z : (tensor<52xf32>) -> tensor<52xi32>
  %between = stablehlo.clamp %zeros, %numbers, %ones : tensor<52xi32>
  %rows_between = stablehlo.reshape %between : (tensor<52xi32>) -> tensor<52x1xi32>
  %3 = "stablehlo.gather"(%table, %rows_between) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<52x1xi32>) -> tensor<52xf32>
  %low = stablehlo.constant dense<0> : tensor<24xui32>
  %high = stablehlo.constant dense<2> : tensor<24xui32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %turns = stablehlo.constant dense<2> : tensor<i32>
  %4:3 = stablehlo.while(%k = %zero, %l = %low, %h = %high) : tensor<i32>, tensor<24xui32>, tensor<24xui32>
   cond {
    %c = stablehlo.compare LT, %k, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %width = stablehlo.subtract %h, %l : tensor<24xui32>
    %half = stablehlo.divide %width, %high : tensor<24xui32>
    %middle = stablehlo.add %l, %half : tensor<24xui32>
    %places = stablehlo.reshape %middle : (tensor<24xui32>) -> tensor<24x1xui32>
    %found = "stablehlo.gather"(%table, %places) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<24x1xui32>) -> tensor<24xf32>
    %is_left = stablehlo.compare LE, %sought, %found : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xi1>
    %l1 = stablehlo.select %is_left, %l, %middle : tensor<24xi1>, tensor<24xui32>
    %h1 = stablehlo.select %is_left, %middle, %h : tensor<24xi1>, tensor<24xui32>
    %k1 = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %k1, %l1, %h1 : tensor<i32>, tensor<24xui32>, tensor<24xui32>
  }
  return %0, %1, %2, %3, %4#2 : tensor<64xf32>, tensor<60xui8>, tensor<56xf32>, tensor<52xf32>, tensor<24xui32>
}
