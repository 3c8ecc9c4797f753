// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lengths with a prime factor above 64 are convolutions with a chirp; the product with the matrix of
// the transform gives the same.
func.func @as_a_product() {
  %j = stablehlo.iota dim = 0 : tensor<134x134xi32>
  %k = stablehlo.iota dim = 1 : tensor<134x134xi32>
  %jk = stablehlo.multiply %j, %k : tensor<134x134xi32>
  %n = stablehlo.constant dense<134> : tensor<134x134xi32>
  %r = stablehlo.remainder %jk, %n : tensor<134x134xi32>
  %f = stablehlo.convert %r : (tensor<134x134xi32>) -> tensor<134x134xf64>
  %w = stablehlo.constant dense<-0.046889442590892436> : tensor<134x134xf64>
  %angle = stablehlo.multiply %f, %w : tensor<134x134xf64>
  %cos = stablehlo.cosine %angle : tensor<134x134xf64>
  %sin = stablehlo.sine %angle : tensor<134x134xf64>
  %i = stablehlo.iota dim = 1 : tensor<3x134xf64>
  %row = stablehlo.iota dim = 0 : tensor<3x134xf64>
  %s = stablehlo.add %i, %row : tensor<3x134xf64>
  %x = stablehlo.sine %s : tensor<3x134xf64>
  %re = stablehlo.dot_general %x, %cos, contracting_dims = [1] x [0] : (tensor<3x134xf64>, tensor<134x134xf64>) -> tensor<3x134xf64>
  %im = stablehlo.dot_general %x, %sin, contracting_dims = [1] x [0] : (tensor<3x134xf64>, tensor<134x134xf64>) -> tensor<3x134xf64>
  %expected = stablehlo.complex %re, %im : tensor<3x134xcomplex<f64>>
  %zero = stablehlo.constant dense<0.0> : tensor<3x134xf64>
  %z = stablehlo.complex %x, %zero : tensor<3x134xcomplex<f64>>
  %a = stablehlo.fft %z, type = FFT, length = [134] : (tensor<3x134xcomplex<f64>>) -> tensor<3x134xcomplex<f64>>
  check.expect_almost_eq %a, %expected : tensor<3x134xcomplex<f64>>
  %half = stablehlo.slice %expected [0:3, 0:68] : (tensor<3x134xcomplex<f64>>) -> tensor<3x68xcomplex<f64>>
  %b = stablehlo.fft %x, type = RFFT, length = [134] : (tensor<3x134xf64>) -> tensor<3x68xcomplex<f64>>
  check.expect_almost_eq %b, %half : tensor<3x68xcomplex<f64>>
  %c = stablehlo.fft %a, type = IFFT, length = [134] : (tensor<3x134xcomplex<f64>>) -> tensor<3x134xcomplex<f64>>
  check.expect_almost_eq %c, %z : tensor<3x134xcomplex<f64>>
  return
}
func.func @there_and_back() {
  %i = stablehlo.iota dim = 1 : tensor<2x1009xf32>
  %x = stablehlo.cosine %i : tensor<2x1009xf32>
  %a = stablehlo.fft %x, type = RFFT, length = [2, 1009] : (tensor<2x1009xf32>) -> tensor<2x505xcomplex<f32>>
  %b = stablehlo.fft %a, type = IRFFT, length = [2, 1009] : (tensor<2x505xcomplex<f32>>) -> tensor<2x1009xf32>
  check.expect_almost_eq %b, %x : tensor<2x1009xf32>
  return
}
