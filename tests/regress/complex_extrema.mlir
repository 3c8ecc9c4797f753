// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Complex numbers are compared by their real parts, then by their imaginary parts.
func.func @elements() {
  %a = stablehlo.constant dense<[(1.0, 9.0), (2.0, -1.0), (-0.0, 3.0), (0x7FC00000, 0.0)]> : tensor<4xcomplex<f32>>
  %b = stablehlo.constant dense<[(2.0, 0.0), (2.0, -3.0), (0.0, 1.0), (1.0, 1.0)]> : tensor<4xcomplex<f32>>
  %x = stablehlo.maximum %a, %b : tensor<4xcomplex<f32>>
  check.expect_eq_const %x, dense<[(2.0, 0.0), (2.0, -1.0), (-0.0, 3.0), (0x7FC00000, 0.0)]> : tensor<4xcomplex<f32>>
  %n = stablehlo.minimum %a, %b : tensor<4xcomplex<f32>>
  check.expect_eq_const %n, dense<[(1.0, 9.0), (2.0, -3.0), (0.0, 1.0), (0x7FC00000, 0.0)]> : tensor<4xcomplex<f32>>
  return
}
func.func @reductions() {
  %a = stablehlo.iota dim = 1 : tensor<6x5xf32>
  %b = stablehlo.iota dim = 0 : tensor<6x5xf32>
  %c = stablehlo.complex %a, %b : tensor<6x5xcomplex<f32>>
  %i = stablehlo.constant dense<(0xFF800000, 0xFF800000)> : tensor<complex<f32>>
  %r0 = stablehlo.constant dense<(0x7F800000, 0x7F800000)> : tensor<complex<f32>>
  %r = stablehlo.reduce(%c init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0,5.0),(1.0,5.0),(2.0,5.0),(3.0,5.0),(4.0,5.0)]> : tensor<5xcomplex<f32>>
  %s = stablehlo.reduce(%c init: %r0) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  check.expect_eq_const %s, dense<(0.0,0.0)> : tensor<complex<f32>>
  %w = "stablehlo.reduce_window"(%c, %i) ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %m = stablehlo.maximum %x, %y : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) {window_dimensions = array<i64: 2, 5>, window_strides = array<i64: 2, 1>} : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x1xcomplex<f32>>
  check.expect_eq_const %w, dense<[[(4.0,1.0)],[(4.0,3.0)],[(4.0,5.0)]]> : tensor<3x1xcomplex<f32>>
  return
}
