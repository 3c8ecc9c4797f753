// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Every kernel shape at small, odd sizes: fused loops, indexed reads and updates, reductions in one
// and in two stages, contractions, scatter, reads at computed places, control flow with selects, and the
// folds and stacks of a map whose last block is not full.
module @kernel_shapes attributes {mr.placements = {clients = 7}} {
  func.func public @main(%x: tensor<7x5xf32>, %y: tensor<5x3xf32>, %long: tensor<9001xf32>, %i: tensor<4x1xi32>) -> (tensor<7x3xf32>, tensor<f32>, tensor<i32>, tensor<7x5xf32>, tensor<4x5xf32>, tensor<9x8xf32>, tensor<5xf32>, tensor<7x5xf32>, tensor<5xf32>, tensor<6xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<5xf32>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %dot = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<7x5xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
    %sum = stablehlo.reduce(%long init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9001xf32>, tensor<f32>) -> tensor<f32>
    %indices = stablehlo.iota dim = 0 : tensor<9001xi32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %best:2 = stablehlo.reduce(%long init: %low), (%indices init: %none) across dimensions = [0] : (tensor<9001xf32>, tensor<9001xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>)  {
      %0 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.select %0, %a, %b : tensor<i1>, tensor<f32>
      %2 = stablehlo.select %0, %k, %l : tensor<i1>, tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
    %updates = stablehlo.slice %x [0:4, 0:5] : (tensor<7x5xf32>) -> tensor<4x5xf32>
    %scattered = "stablehlo.scatter"(%x, %i, %updates) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<7x5xf32>, tensor<4x1xi32>, tensor<4x5xf32>) -> tensor<7x5xf32>
    %gathered = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5>}> : (tensor<7x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
    %padded = stablehlo.pad %x, %zero, low = [1, -1], high = [1, 4], interior = [0, 0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<9x8xf32>
    %reversed = stablehlo.reverse %padded, dims = [1] : tensor<9x8xf32>
    %m:2 = "mr.map"(%x) ({
    ^bb0(%own: tensor<5xf32>):
      %0 = stablehlo.multiply %own, %own : tensor<5xf32>
      %1 = stablehlo.negate %0 : tensor<5xf32>
      "mr.return"(%0, %1) : (tensor<5xf32>, tensor<5xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0, 0>} : (tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>)
    %mean = "mr.reduce_mean"(%m#0) {placement = "clients"} : (tensor<7x5xf32>) -> tensor<5xf32>
    %most = "mr.reduce_max"(%m#0) {placement = "clients"} : (tensor<7x5xf32>) -> tensor<5xf32>
    %start = stablehlo.constant dense<0.000000e+00> : tensor<6xf32>
    %rows:2 = stablehlo.while(%n = %none, %acc = %start) : tensor<i32>, tensor<6xf32>
    cond {
      %six = stablehlo.constant dense<6> : tensor<i32>
      %0 = stablehlo.compare LT, %n, %six, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %row = stablehlo.dynamic_slice %x, %n, %none, sizes = [1, 5] : (tensor<7x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
      %0 = stablehlo.reduce(%row init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1x5xf32>, tensor<f32>) -> tensor<1xf32>
      %1 = stablehlo.dynamic_update_slice %acc, %0, %n : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
      %2 = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<6xf32>
    }
    %first = stablehlo.slice %i [0:1, 0:1] : (tensor<4x1xi32>) -> tensor<1x1xi32>
    %branch = stablehlo.reshape %first : (tensor<1x1xi32>) -> tensor<i32>
    %chosen = "stablehlo.case"(%branch) ({
      stablehlo.return %mean : tensor<5xf32>
    }, {
      %0 = stablehlo.add %mean, %most : tensor<5xf32>
      stablehlo.return %0 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %seven = stablehlo.constant dense<7> : tensor<4x1xi32>
    %squares = stablehlo.multiply %i, %i : tensor<4x1xi32>
    %places = stablehlo.remainder %squares, %seven : tensor<4x1xi32>
    %computed = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5>}> : (tensor<7x5xf32>, tensor<4x1xi32>) -> tensor<4x5xf32>
    %lowest = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %columns:2 = stablehlo.while(%n = %none, %acc = %lowest) : tensor<i32>, tensor<5xf32>
    cond {
      %end = stablehlo.constant dense<7> : tensor<i32>
      %0 = stablehlo.compare LT, %n, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %row = stablehlo.dynamic_slice %x, %n, %none, sizes = [1, 5] : (tensor<7x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
      %own = stablehlo.reshape %row : (tensor<1x5xf32>) -> tensor<5xf32>
      %0 = stablehlo.compare GT, %own, %acc, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %1 = stablehlo.select %0, %own, %acc : tensor<5xi1>, tensor<5xf32>
      %2 = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<5xf32>
    }
    return %dot, %sum, %best#1, %scattered, %gathered, %reversed, %mean, %m#1, %most, %rows#1, %chosen, %computed, %columns#1 : tensor<7x3xf32>, tensor<f32>, tensor<i32>, tensor<7x5xf32>, tensor<4x5xf32>, tensor<9x8xf32>, tensor<5xf32>, tensor<7x5xf32>, tensor<5xf32>, tensor<6xf32>, tensor<5xf32>, tensor<4x5xf32>, tensor<5xf32>
  }
}
