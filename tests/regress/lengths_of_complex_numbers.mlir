// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lengths of complex numbers of f32: infinite beside NaN, neither over- nor underflowing on the way.
func.func @main() {
  %re = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 0xFF800000, 0x7FC00000, 3.0e38, 3.0e30, 3.0e-30, -0.0, 1.0e-42, 3.0]> : tensor<10xf32>
  %im = stablehlo.constant dense<[0x7FC00000, 0xFF800000, 1.0, 1.0, 3.0e38, 4.0e30, -4.0e-30, -0.0, 0.0, 0x7FC00000]> : tensor<10xf32>
  %z = stablehlo.complex %re, %im : tensor<10xcomplex<f32>>
  %zz = stablehlo.optimization_barrier %z : tensor<10xcomplex<f32>>
  %r = stablehlo.abs %zz : (tensor<10xcomplex<f32>>) -> tensor<10xf32>
  %e = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7F800000, 5.0e30, 5.0e-30, 0.0, 1.0e-42, 0x7FC00000]> : tensor<10xf32>
  check.expect_almost_eq %r, %e : tensor<10xf32>
  return
}
