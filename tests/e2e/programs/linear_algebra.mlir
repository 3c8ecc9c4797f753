// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Routines of the host multiply back to what they decompose: in stacks, in maps over partitions, in loops, and as
// programs exported for CPUs call them.
module @linear_algebra attributes {mr.placements = {clients = 3}} {
  func.func private @given() -> tensor<3x4x4xf32> {
    %i = stablehlo.iota dim = 0 : tensor<48xi32>
    %a = stablehlo.constant dense<37> : tensor<48xi32>
    %b = stablehlo.constant dense<17> : tensor<48xi32>
    %j = stablehlo.multiply %i, %a : tensor<48xi32>
    %k = stablehlo.remainder %j, %b : tensor<48xi32>
    %l = stablehlo.convert %k : (tensor<48xi32>) -> tensor<48xf32>
    %m = stablehlo.reshape %l : (tensor<48xf32>) -> tensor<3x4x4xf32>
    %t = stablehlo.transpose %m, dims = [0, 2, 1] : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
    %s = stablehlo.add %m, %t : tensor<3x4x4xf32>
    return %s : tensor<3x4x4xf32>
  }
  func.func @eigenvectors_in_a_map() {
    %a = func.call @given() : () -> tensor<3x4x4xf32>
    %0 = "mr.map"(%a) ({
    ^bb0(%m: tensor<4x4xf32>):
      %1:2 = stablehlo.custom_call @partita.eigh(%m) {mhlo.backend_config = {lower = true}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
      %2 = stablehlo.broadcast_in_dim %1#1, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
      %3 = stablehlo.multiply %1#0, %2 : tensor<4x4xf32>
      %4 = stablehlo.dot_general %3, %1#0, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      "mr.return"(%4) : (tensor<4x4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
    check.expect_almost_eq %0, %a, tolerance = 1.0e-3 : tensor<3x4x4xf32>
    return
  }
  func.func @singular_values_in_a_loop() {
    %a = func.call @given() : () -> tensor<3x4x4xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<3x4x4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %1:3 = stablehlo.custom_call @partita.svd(%x) {mhlo.backend_config = {compute_uv = true, full_matrices = false}} : (tensor<3x4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>)
      %2 = stablehlo.broadcast_in_dim %1#0, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x4x4xf32>
      %3 = stablehlo.multiply %1#1, %2 : tensor<3x4x4xf32>
      %4 = stablehlo.dot_general %3, %1#2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %4 : tensor<i32>, tensor<3x4x4xf32>
    }
    check.expect_almost_eq %r#1, %a, tolerance = 1.0e-3 : tensor<3x4x4xf32>
    return
  }
  func.func @systems_of_cpu_exports() {
    %a = func.call @given() : () -> tensor<3x4x4xf32>
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3x4xi32>, tensor<3xi32>)
    %fine = stablehlo.constant dense<0> : tensor<3xi32>
    check.expect_eq %0#2, %fine : tensor<3xi32>
    // The product of pivots is the determinant but for its sign, as are the eigenvalues'.
    %i = stablehlo.iota dim = 1 : tensor<3x4x4xi32>
    %j = stablehlo.iota dim = 2 : tensor<3x4x4xi32>
    %on = stablehlo.compare EQ, %i, %j : (tensor<3x4x4xi32>, tensor<3x4x4xi32>) -> tensor<3x4x4xi1>
    %ones = stablehlo.constant dense<1.0> : tensor<3x4x4xf32>
    %d = stablehlo.select %on, %0#0, %ones : tensor<3x4x4xi1>, tensor<3x4x4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %p = stablehlo.reduce(%d init: %one) applies stablehlo.multiply across dimensions = [1, 2] : (tensor<3x4x4xf32>, tensor<f32>) -> tensor<3xf32>
    %q = stablehlo.abs %p : tensor<3xf32>
    %1:5 = stablehlo.custom_call @lapack_sgeev_ffi(%a) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}} : (tensor<3x4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3xi32>)
    %e = stablehlo.reduce(%1#0 init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %f = stablehlo.abs %e : tensor<3xf32>
    %g = stablehlo.divide %q, %f : tensor<3xf32>
    %same = stablehlo.constant dense<1.0> : tensor<3xf32>
    check.expect_almost_eq %g, %same, tolerance = 1.0e-3 : tensor<3xf32>
    return
  }
}
