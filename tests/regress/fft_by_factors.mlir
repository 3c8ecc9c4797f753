// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Transforms of several factors, along the last dimension and along others, are the products with the
// matrices of the transforms.
func.func @of_51() {
  %j = stablehlo.iota dim = 0 : tensor<51x51xi32>
  %k = stablehlo.iota dim = 1 : tensor<51x51xi32>
  %jk = stablehlo.multiply %j, %k : tensor<51x51xi32>
  %n = stablehlo.constant dense<51> : tensor<51x51xi32>
  %r = stablehlo.remainder %jk, %n : tensor<51x51xi32>
  %f = stablehlo.convert %r : (tensor<51x51xi32>) -> tensor<51x51xf64>
  %w = stablehlo.constant dense<-0.12319971190548208> : tensor<51x51xf64>
  %angle = stablehlo.multiply %f, %w : tensor<51x51xf64>
  %cos = stablehlo.cosine %angle : tensor<51x51xf64>
  %sin = stablehlo.sine %angle : tensor<51x51xf64>
  %i = stablehlo.iota dim = 1 : tensor<9x51xf64>
  %row = stablehlo.iota dim = 0 : tensor<9x51xf64>
  %s = stablehlo.add %i, %row : tensor<9x51xf64>
  %x = stablehlo.sine %s : tensor<9x51xf64>
  %re = stablehlo.dot_general %x, %cos, contracting_dims = [1] x [0] : (tensor<9x51xf64>, tensor<51x51xf64>) -> tensor<9x51xf64>
  %im = stablehlo.dot_general %x, %sin, contracting_dims = [1] x [0] : (tensor<9x51xf64>, tensor<51x51xf64>) -> tensor<9x51xf64>
  %expected = stablehlo.complex %re, %im : tensor<9x51xcomplex<f64>>
  %zero = stablehlo.constant dense<0.0> : tensor<9x51xf64>
  %z = stablehlo.complex %x, %zero : tensor<9x51xcomplex<f64>>
  %a = stablehlo.fft %z, type = FFT, length = [51] : (tensor<9x51xcomplex<f64>>) -> tensor<9x51xcomplex<f64>>
  check.expect_almost_eq %a, %expected : tensor<9x51xcomplex<f64>>
  %half = stablehlo.slice %expected [0:9, 0:26] : (tensor<9x51xcomplex<f64>>) -> tensor<9x26xcomplex<f64>>
  %b = stablehlo.fft %x, type = RFFT, length = [51] : (tensor<9x51xf64>) -> tensor<9x26xcomplex<f64>>
  check.expect_almost_eq %b, %half : tensor<9x26xcomplex<f64>>
  %c = stablehlo.fft %half, type = IRFFT, length = [51] : (tensor<9x26xcomplex<f64>>) -> tensor<9x51xf64>
  check.expect_almost_eq %c, %x : tensor<9x51xf64>
  %t = stablehlo.transpose %z, dims = [1, 0] : (tensor<9x51xcomplex<f64>>) -> tensor<51x9xcomplex<f64>>
  %d = stablehlo.fft %t, type = FFT, length = [51, 9] : (tensor<51x9xcomplex<f64>>) -> tensor<51x9xcomplex<f64>>
  %e = stablehlo.transpose %expected, dims = [1, 0] : (tensor<9x51xcomplex<f64>>) -> tensor<51x9xcomplex<f64>>
  %g = stablehlo.fft %e, type = FFT, length = [9] : (tensor<51x9xcomplex<f64>>) -> tensor<51x9xcomplex<f64>>
  check.expect_almost_eq %d, %g : tensor<51x9xcomplex<f64>>
  return
}
func.func @of_240() {
  %j = stablehlo.iota dim = 0 : tensor<240x240xi32>
  %k = stablehlo.iota dim = 1 : tensor<240x240xi32>
  %jk = stablehlo.multiply %j, %k : tensor<240x240xi32>
  %n = stablehlo.constant dense<240> : tensor<240x240xi32>
  %r = stablehlo.remainder %jk, %n : tensor<240x240xi32>
  %f = stablehlo.convert %r : (tensor<240x240xi32>) -> tensor<240x240xf64>
  %w = stablehlo.constant dense<-0.02617993877991494> : tensor<240x240xf64>
  %angle = stablehlo.multiply %f, %w : tensor<240x240xf64>
  %cos = stablehlo.cosine %angle : tensor<240x240xf64>
  %sin = stablehlo.sine %angle : tensor<240x240xf64>
  %i = stablehlo.iota dim = 1 : tensor<9x240xf64>
  %row = stablehlo.iota dim = 0 : tensor<9x240xf64>
  %s = stablehlo.add %i, %row : tensor<9x240xf64>
  %x = stablehlo.sine %s : tensor<9x240xf64>
  %re = stablehlo.dot_general %x, %cos, contracting_dims = [1] x [0] : (tensor<9x240xf64>, tensor<240x240xf64>) -> tensor<9x240xf64>
  %im = stablehlo.dot_general %x, %sin, contracting_dims = [1] x [0] : (tensor<9x240xf64>, tensor<240x240xf64>) -> tensor<9x240xf64>
  %expected = stablehlo.complex %re, %im : tensor<9x240xcomplex<f64>>
  %zero = stablehlo.constant dense<0.0> : tensor<9x240xf64>
  %z = stablehlo.complex %x, %zero : tensor<9x240xcomplex<f64>>
  %a = stablehlo.fft %z, type = FFT, length = [240] : (tensor<9x240xcomplex<f64>>) -> tensor<9x240xcomplex<f64>>
  check.expect_almost_eq %a, %expected : tensor<9x240xcomplex<f64>>
  %half = stablehlo.slice %expected [0:9, 0:121] : (tensor<9x240xcomplex<f64>>) -> tensor<9x121xcomplex<f64>>
  %b = stablehlo.fft %x, type = RFFT, length = [240] : (tensor<9x240xf64>) -> tensor<9x121xcomplex<f64>>
  check.expect_almost_eq %b, %half : tensor<9x121xcomplex<f64>>
  %c = stablehlo.fft %half, type = IRFFT, length = [240] : (tensor<9x121xcomplex<f64>>) -> tensor<9x240xf64>
  check.expect_almost_eq %c, %x : tensor<9x240xf64>
  %t = stablehlo.transpose %z, dims = [1, 0] : (tensor<9x240xcomplex<f64>>) -> tensor<240x9xcomplex<f64>>
  %d = stablehlo.fft %t, type = FFT, length = [240, 9] : (tensor<240x9xcomplex<f64>>) -> tensor<240x9xcomplex<f64>>
  %e = stablehlo.transpose %expected, dims = [1, 0] : (tensor<9x240xcomplex<f64>>) -> tensor<240x9xcomplex<f64>>
  %g = stablehlo.fft %e, type = FFT, length = [9] : (tensor<240x9xcomplex<f64>>) -> tensor<240x9xcomplex<f64>>
  check.expect_almost_eq %d, %g : tensor<240x9xcomplex<f64>>
  return
}
