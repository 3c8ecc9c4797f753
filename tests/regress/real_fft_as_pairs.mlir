// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lines of an even number of real elements, which are transformed as half as many complex ones, give what transforms of as
// many complex ones give; the imaginary parts of the ends of a spectrum mean nothing.
func.func @of_18_f64() {
  %i = stablehlo.iota dim = 1 : tensor<3x18xf64>
  %row = stablehlo.iota dim = 0 : tensor<3x18xf64>
  %p = stablehlo.multiply %i, %i : tensor<3x18xf64>
  %q = stablehlo.add %p, %row : tensor<3x18xf64>
  %x = stablehlo.sine %q : tensor<3x18xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<3x18xf64>
  %z = stablehlo.complex %x, %zero : tensor<3x18xcomplex<f64>>
  %all = stablehlo.fft %z, type = FFT, length = [18] : (tensor<3x18xcomplex<f64>>) -> tensor<3x18xcomplex<f64>>
  %expected = stablehlo.slice %all [0:3, 0:10] : (tensor<3x18xcomplex<f64>>) -> tensor<3x10xcomplex<f64>>
  %found = stablehlo.fft %x, type = RFFT, length = [18] : (tensor<3x18xf64>) -> tensor<3x10xcomplex<f64>>
  check.expect_almost_eq %found, %expected : tensor<3x10xcomplex<f64>>
  %a = stablehlo.slice %x [0:3, 0:10] : (tensor<3x18xf64>) -> tensor<3x10xf64>
  %b = stablehlo.cosine %a : tensor<3x10xf64>
  %s = stablehlo.complex %b, %a : tensor<3x10xcomplex<f64>>
  %first = stablehlo.slice %s [0:3, 0:1] : (tensor<3x10xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
  %last = stablehlo.slice %s [0:3, 9:10] : (tensor<3x10xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
  %inner = stablehlo.slice %s [0:3, 1:9] : (tensor<3x10xcomplex<f64>>) -> tensor<3x8xcomplex<f64>>
  %re = stablehlo.real %inner : (tensor<3x8xcomplex<f64>>) -> tensor<3x8xf64>
  %im = stablehlo.imag %inner : (tensor<3x8xcomplex<f64>>) -> tensor<3x8xf64>
  %minus = stablehlo.negate %im : tensor<3x8xf64>
  %conjugate = stablehlo.complex %re, %minus : tensor<3x8xcomplex<f64>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<3x8xcomplex<f64>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<3x1xcomplex<f64>>, tensor<3x8xcomplex<f64>>, tensor<3x1xcomplex<f64>>, tensor<3x8xcomplex<f64>>) -> tensor<3x18xcomplex<f64>>
  %back = stablehlo.fft %whole, type = IFFT, length = [18] : (tensor<3x18xcomplex<f64>>) -> tensor<3x18xcomplex<f64>>
  %real = stablehlo.real %back : (tensor<3x18xcomplex<f64>>) -> tensor<3x18xf64>
  %y = stablehlo.fft %s, type = IRFFT, length = [18] : (tensor<3x10xcomplex<f64>>) -> tensor<3x18xf64>
  check.expect_almost_eq %y, %real : tensor<3x18xf64>
  return
}
func.func @of_32_f32() {
  %i = stablehlo.iota dim = 1 : tensor<5x32xf32>
  %row = stablehlo.iota dim = 0 : tensor<5x32xf32>
  %p = stablehlo.multiply %i, %i : tensor<5x32xf32>
  %q = stablehlo.add %p, %row : tensor<5x32xf32>
  %x = stablehlo.sine %q : tensor<5x32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<5x32xf32>
  %z = stablehlo.complex %x, %zero : tensor<5x32xcomplex<f32>>
  %all = stablehlo.fft %z, type = FFT, length = [32] : (tensor<5x32xcomplex<f32>>) -> tensor<5x32xcomplex<f32>>
  %expected = stablehlo.slice %all [0:5, 0:17] : (tensor<5x32xcomplex<f32>>) -> tensor<5x17xcomplex<f32>>
  %found = stablehlo.fft %x, type = RFFT, length = [32] : (tensor<5x32xf32>) -> tensor<5x17xcomplex<f32>>
  check.expect_almost_eq %found, %expected, tolerance = 0.02 : tensor<5x17xcomplex<f32>>
  %a = stablehlo.slice %x [0:5, 0:17] : (tensor<5x32xf32>) -> tensor<5x17xf32>
  %b = stablehlo.cosine %a : tensor<5x17xf32>
  %s = stablehlo.complex %b, %a : tensor<5x17xcomplex<f32>>
  %first = stablehlo.slice %s [0:5, 0:1] : (tensor<5x17xcomplex<f32>>) -> tensor<5x1xcomplex<f32>>
  %last = stablehlo.slice %s [0:5, 16:17] : (tensor<5x17xcomplex<f32>>) -> tensor<5x1xcomplex<f32>>
  %inner = stablehlo.slice %s [0:5, 1:16] : (tensor<5x17xcomplex<f32>>) -> tensor<5x15xcomplex<f32>>
  %re = stablehlo.real %inner : (tensor<5x15xcomplex<f32>>) -> tensor<5x15xf32>
  %im = stablehlo.imag %inner : (tensor<5x15xcomplex<f32>>) -> tensor<5x15xf32>
  %minus = stablehlo.negate %im : tensor<5x15xf32>
  %conjugate = stablehlo.complex %re, %minus : tensor<5x15xcomplex<f32>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<5x15xcomplex<f32>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<5x1xcomplex<f32>>, tensor<5x15xcomplex<f32>>, tensor<5x1xcomplex<f32>>, tensor<5x15xcomplex<f32>>) -> tensor<5x32xcomplex<f32>>
  %back = stablehlo.fft %whole, type = IFFT, length = [32] : (tensor<5x32xcomplex<f32>>) -> tensor<5x32xcomplex<f32>>
  %real = stablehlo.real %back : (tensor<5x32xcomplex<f32>>) -> tensor<5x32xf32>
  %y = stablehlo.fft %s, type = IRFFT, length = [32] : (tensor<5x17xcomplex<f32>>) -> tensor<5x32xf32>
  check.expect_almost_eq %y, %real, tolerance = 0.02 : tensor<5x32xf32>
  return
}
func.func @of_34_f64() {
  %i = stablehlo.iota dim = 1 : tensor<2x34xf64>
  %row = stablehlo.iota dim = 0 : tensor<2x34xf64>
  %p = stablehlo.multiply %i, %i : tensor<2x34xf64>
  %q = stablehlo.add %p, %row : tensor<2x34xf64>
  %x = stablehlo.sine %q : tensor<2x34xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<2x34xf64>
  %z = stablehlo.complex %x, %zero : tensor<2x34xcomplex<f64>>
  %all = stablehlo.fft %z, type = FFT, length = [34] : (tensor<2x34xcomplex<f64>>) -> tensor<2x34xcomplex<f64>>
  %expected = stablehlo.slice %all [0:2, 0:18] : (tensor<2x34xcomplex<f64>>) -> tensor<2x18xcomplex<f64>>
  %found = stablehlo.fft %x, type = RFFT, length = [34] : (tensor<2x34xf64>) -> tensor<2x18xcomplex<f64>>
  check.expect_almost_eq %found, %expected : tensor<2x18xcomplex<f64>>
  %a = stablehlo.slice %x [0:2, 0:18] : (tensor<2x34xf64>) -> tensor<2x18xf64>
  %b = stablehlo.cosine %a : tensor<2x18xf64>
  %s = stablehlo.complex %b, %a : tensor<2x18xcomplex<f64>>
  %first = stablehlo.slice %s [0:2, 0:1] : (tensor<2x18xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>
  %last = stablehlo.slice %s [0:2, 17:18] : (tensor<2x18xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>
  %inner = stablehlo.slice %s [0:2, 1:17] : (tensor<2x18xcomplex<f64>>) -> tensor<2x16xcomplex<f64>>
  %re = stablehlo.real %inner : (tensor<2x16xcomplex<f64>>) -> tensor<2x16xf64>
  %im = stablehlo.imag %inner : (tensor<2x16xcomplex<f64>>) -> tensor<2x16xf64>
  %minus = stablehlo.negate %im : tensor<2x16xf64>
  %conjugate = stablehlo.complex %re, %minus : tensor<2x16xcomplex<f64>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<2x16xcomplex<f64>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<2x1xcomplex<f64>>, tensor<2x16xcomplex<f64>>, tensor<2x1xcomplex<f64>>, tensor<2x16xcomplex<f64>>) -> tensor<2x34xcomplex<f64>>
  %back = stablehlo.fft %whole, type = IFFT, length = [34] : (tensor<2x34xcomplex<f64>>) -> tensor<2x34xcomplex<f64>>
  %real = stablehlo.real %back : (tensor<2x34xcomplex<f64>>) -> tensor<2x34xf64>
  %y = stablehlo.fft %s, type = IRFFT, length = [34] : (tensor<2x18xcomplex<f64>>) -> tensor<2x34xf64>
  check.expect_almost_eq %y, %real : tensor<2x34xf64>
  return
}
func.func @of_62_f64() {
  %i = stablehlo.iota dim = 1 : tensor<1x62xf64>
  %row = stablehlo.iota dim = 0 : tensor<1x62xf64>
  %p = stablehlo.multiply %i, %i : tensor<1x62xf64>
  %q = stablehlo.add %p, %row : tensor<1x62xf64>
  %x = stablehlo.sine %q : tensor<1x62xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<1x62xf64>
  %z = stablehlo.complex %x, %zero : tensor<1x62xcomplex<f64>>
  %all = stablehlo.fft %z, type = FFT, length = [62] : (tensor<1x62xcomplex<f64>>) -> tensor<1x62xcomplex<f64>>
  %expected = stablehlo.slice %all [0:1, 0:32] : (tensor<1x62xcomplex<f64>>) -> tensor<1x32xcomplex<f64>>
  %found = stablehlo.fft %x, type = RFFT, length = [62] : (tensor<1x62xf64>) -> tensor<1x32xcomplex<f64>>
  check.expect_almost_eq %found, %expected : tensor<1x32xcomplex<f64>>
  %a = stablehlo.slice %x [0:1, 0:32] : (tensor<1x62xf64>) -> tensor<1x32xf64>
  %b = stablehlo.cosine %a : tensor<1x32xf64>
  %s = stablehlo.complex %b, %a : tensor<1x32xcomplex<f64>>
  %first = stablehlo.slice %s [0:1, 0:1] : (tensor<1x32xcomplex<f64>>) -> tensor<1x1xcomplex<f64>>
  %last = stablehlo.slice %s [0:1, 31:32] : (tensor<1x32xcomplex<f64>>) -> tensor<1x1xcomplex<f64>>
  %inner = stablehlo.slice %s [0:1, 1:31] : (tensor<1x32xcomplex<f64>>) -> tensor<1x30xcomplex<f64>>
  %re = stablehlo.real %inner : (tensor<1x30xcomplex<f64>>) -> tensor<1x30xf64>
  %im = stablehlo.imag %inner : (tensor<1x30xcomplex<f64>>) -> tensor<1x30xf64>
  %minus = stablehlo.negate %im : tensor<1x30xf64>
  %conjugate = stablehlo.complex %re, %minus : tensor<1x30xcomplex<f64>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<1x30xcomplex<f64>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<1x1xcomplex<f64>>, tensor<1x30xcomplex<f64>>, tensor<1x1xcomplex<f64>>, tensor<1x30xcomplex<f64>>) -> tensor<1x62xcomplex<f64>>
  %back = stablehlo.fft %whole, type = IFFT, length = [62] : (tensor<1x62xcomplex<f64>>) -> tensor<1x62xcomplex<f64>>
  %real = stablehlo.real %back : (tensor<1x62xcomplex<f64>>) -> tensor<1x62xf64>
  %y = stablehlo.fft %s, type = IRFFT, length = [62] : (tensor<1x32xcomplex<f64>>) -> tensor<1x62xf64>
  check.expect_almost_eq %y, %real : tensor<1x62xf64>
  return
}
func.func @of_100_f32() {
  %i = stablehlo.iota dim = 1 : tensor<4x100xf32>
  %row = stablehlo.iota dim = 0 : tensor<4x100xf32>
  %p = stablehlo.multiply %i, %i : tensor<4x100xf32>
  %q = stablehlo.add %p, %row : tensor<4x100xf32>
  %x = stablehlo.sine %q : tensor<4x100xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4x100xf32>
  %z = stablehlo.complex %x, %zero : tensor<4x100xcomplex<f32>>
  %all = stablehlo.fft %z, type = FFT, length = [100] : (tensor<4x100xcomplex<f32>>) -> tensor<4x100xcomplex<f32>>
  %expected = stablehlo.slice %all [0:4, 0:51] : (tensor<4x100xcomplex<f32>>) -> tensor<4x51xcomplex<f32>>
  %found = stablehlo.fft %x, type = RFFT, length = [100] : (tensor<4x100xf32>) -> tensor<4x51xcomplex<f32>>
  check.expect_almost_eq %found, %expected, tolerance = 0.02 : tensor<4x51xcomplex<f32>>
  %a = stablehlo.slice %x [0:4, 0:51] : (tensor<4x100xf32>) -> tensor<4x51xf32>
  %b = stablehlo.cosine %a : tensor<4x51xf32>
  %s = stablehlo.complex %b, %a : tensor<4x51xcomplex<f32>>
  %first = stablehlo.slice %s [0:4, 0:1] : (tensor<4x51xcomplex<f32>>) -> tensor<4x1xcomplex<f32>>
  %last = stablehlo.slice %s [0:4, 50:51] : (tensor<4x51xcomplex<f32>>) -> tensor<4x1xcomplex<f32>>
  %inner = stablehlo.slice %s [0:4, 1:50] : (tensor<4x51xcomplex<f32>>) -> tensor<4x49xcomplex<f32>>
  %re = stablehlo.real %inner : (tensor<4x49xcomplex<f32>>) -> tensor<4x49xf32>
  %im = stablehlo.imag %inner : (tensor<4x49xcomplex<f32>>) -> tensor<4x49xf32>
  %minus = stablehlo.negate %im : tensor<4x49xf32>
  %conjugate = stablehlo.complex %re, %minus : tensor<4x49xcomplex<f32>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<4x49xcomplex<f32>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<4x1xcomplex<f32>>, tensor<4x49xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<4x49xcomplex<f32>>) -> tensor<4x100xcomplex<f32>>
  %back = stablehlo.fft %whole, type = IFFT, length = [100] : (tensor<4x100xcomplex<f32>>) -> tensor<4x100xcomplex<f32>>
  %real = stablehlo.real %back : (tensor<4x100xcomplex<f32>>) -> tensor<4x100xf32>
  %y = stablehlo.fft %s, type = IRFFT, length = [100] : (tensor<4x51xcomplex<f32>>) -> tensor<4x100xf32>
  check.expect_almost_eq %y, %real, tolerance = 0.02 : tensor<4x100xf32>
  return
}
func.func @of_1024_f64() {
  %i = stablehlo.iota dim = 1 : tensor<3x1024xf64>
  %row = stablehlo.iota dim = 0 : tensor<3x1024xf64>
  %p = stablehlo.multiply %i, %i : tensor<3x1024xf64>
  %q = stablehlo.add %p, %row : tensor<3x1024xf64>
  %x = stablehlo.sine %q : tensor<3x1024xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<3x1024xf64>
  %z = stablehlo.complex %x, %zero : tensor<3x1024xcomplex<f64>>
  %all = stablehlo.fft %z, type = FFT, length = [1024] : (tensor<3x1024xcomplex<f64>>) -> tensor<3x1024xcomplex<f64>>
  %expected = stablehlo.slice %all [0:3, 0:513] : (tensor<3x1024xcomplex<f64>>) -> tensor<3x513xcomplex<f64>>
  %found = stablehlo.fft %x, type = RFFT, length = [1024] : (tensor<3x1024xf64>) -> tensor<3x513xcomplex<f64>>
  check.expect_almost_eq %found, %expected : tensor<3x513xcomplex<f64>>
  %a = stablehlo.slice %x [0:3, 0:513] : (tensor<3x1024xf64>) -> tensor<3x513xf64>
  %b = stablehlo.cosine %a : tensor<3x513xf64>
  %s = stablehlo.complex %b, %a : tensor<3x513xcomplex<f64>>
  %first = stablehlo.slice %s [0:3, 0:1] : (tensor<3x513xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
  %last = stablehlo.slice %s [0:3, 512:513] : (tensor<3x513xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
  %inner = stablehlo.slice %s [0:3, 1:512] : (tensor<3x513xcomplex<f64>>) -> tensor<3x511xcomplex<f64>>
  %re = stablehlo.real %inner : (tensor<3x511xcomplex<f64>>) -> tensor<3x511xf64>
  %im = stablehlo.imag %inner : (tensor<3x511xcomplex<f64>>) -> tensor<3x511xf64>
  %minus = stablehlo.negate %im : tensor<3x511xf64>
  %conjugate = stablehlo.complex %re, %minus : tensor<3x511xcomplex<f64>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<3x511xcomplex<f64>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<3x1xcomplex<f64>>, tensor<3x511xcomplex<f64>>, tensor<3x1xcomplex<f64>>, tensor<3x511xcomplex<f64>>) -> tensor<3x1024xcomplex<f64>>
  %back = stablehlo.fft %whole, type = IFFT, length = [1024] : (tensor<3x1024xcomplex<f64>>) -> tensor<3x1024xcomplex<f64>>
  %real = stablehlo.real %back : (tensor<3x1024xcomplex<f64>>) -> tensor<3x1024xf64>
  %y = stablehlo.fft %s, type = IRFFT, length = [1024] : (tensor<3x513xcomplex<f64>>) -> tensor<3x1024xf64>
  check.expect_almost_eq %y, %real : tensor<3x1024xf64>
  return
}
func.func @of_4096_f32() {
  %i = stablehlo.iota dim = 1 : tensor<1x4096xf32>
  %row = stablehlo.iota dim = 0 : tensor<1x4096xf32>
  %p = stablehlo.multiply %i, %i : tensor<1x4096xf32>
  %q = stablehlo.add %p, %row : tensor<1x4096xf32>
  %x = stablehlo.sine %q : tensor<1x4096xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<1x4096xf32>
  %z = stablehlo.complex %x, %zero : tensor<1x4096xcomplex<f32>>
  %all = stablehlo.fft %z, type = FFT, length = [4096] : (tensor<1x4096xcomplex<f32>>) -> tensor<1x4096xcomplex<f32>>
  %expected = stablehlo.slice %all [0:1, 0:2049] : (tensor<1x4096xcomplex<f32>>) -> tensor<1x2049xcomplex<f32>>
  %found = stablehlo.fft %x, type = RFFT, length = [4096] : (tensor<1x4096xf32>) -> tensor<1x2049xcomplex<f32>>
  check.expect_almost_eq %found, %expected, tolerance = 0.02 : tensor<1x2049xcomplex<f32>>
  %a = stablehlo.slice %x [0:1, 0:2049] : (tensor<1x4096xf32>) -> tensor<1x2049xf32>
  %b = stablehlo.cosine %a : tensor<1x2049xf32>
  %s = stablehlo.complex %b, %a : tensor<1x2049xcomplex<f32>>
  %first = stablehlo.slice %s [0:1, 0:1] : (tensor<1x2049xcomplex<f32>>) -> tensor<1x1xcomplex<f32>>
  %last = stablehlo.slice %s [0:1, 2048:2049] : (tensor<1x2049xcomplex<f32>>) -> tensor<1x1xcomplex<f32>>
  %inner = stablehlo.slice %s [0:1, 1:2048] : (tensor<1x2049xcomplex<f32>>) -> tensor<1x2047xcomplex<f32>>
  %re = stablehlo.real %inner : (tensor<1x2047xcomplex<f32>>) -> tensor<1x2047xf32>
  %im = stablehlo.imag %inner : (tensor<1x2047xcomplex<f32>>) -> tensor<1x2047xf32>
  %minus = stablehlo.negate %im : tensor<1x2047xf32>
  %conjugate = stablehlo.complex %re, %minus : tensor<1x2047xcomplex<f32>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<1x2047xcomplex<f32>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<1x1xcomplex<f32>>, tensor<1x2047xcomplex<f32>>, tensor<1x1xcomplex<f32>>, tensor<1x2047xcomplex<f32>>) -> tensor<1x4096xcomplex<f32>>
  %back = stablehlo.fft %whole, type = IFFT, length = [4096] : (tensor<1x4096xcomplex<f32>>) -> tensor<1x4096xcomplex<f32>>
  %real = stablehlo.real %back : (tensor<1x4096xcomplex<f32>>) -> tensor<1x4096xf32>
  %y = stablehlo.fft %s, type = IRFFT, length = [4096] : (tensor<1x2049xcomplex<f32>>) -> tensor<1x4096xf32>
  check.expect_almost_eq %y, %real, tolerance = 0.02 : tensor<1x4096xf32>
  return
}
func.func @of_7000_f64() {
  %i = stablehlo.iota dim = 1 : tensor<2x7000xf64>
  %row = stablehlo.iota dim = 0 : tensor<2x7000xf64>
  %p = stablehlo.multiply %i, %i : tensor<2x7000xf64>
  %q = stablehlo.add %p, %row : tensor<2x7000xf64>
  %x = stablehlo.sine %q : tensor<2x7000xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<2x7000xf64>
  %z = stablehlo.complex %x, %zero : tensor<2x7000xcomplex<f64>>
  %all = stablehlo.fft %z, type = FFT, length = [7000] : (tensor<2x7000xcomplex<f64>>) -> tensor<2x7000xcomplex<f64>>
  %expected = stablehlo.slice %all [0:2, 0:3501] : (tensor<2x7000xcomplex<f64>>) -> tensor<2x3501xcomplex<f64>>
  %found = stablehlo.fft %x, type = RFFT, length = [7000] : (tensor<2x7000xf64>) -> tensor<2x3501xcomplex<f64>>
  check.expect_almost_eq %found, %expected : tensor<2x3501xcomplex<f64>>
  %a = stablehlo.slice %x [0:2, 0:3501] : (tensor<2x7000xf64>) -> tensor<2x3501xf64>
  %b = stablehlo.cosine %a : tensor<2x3501xf64>
  %s = stablehlo.complex %b, %a : tensor<2x3501xcomplex<f64>>
  %first = stablehlo.slice %s [0:2, 0:1] : (tensor<2x3501xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>
  %last = stablehlo.slice %s [0:2, 3500:3501] : (tensor<2x3501xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>
  %inner = stablehlo.slice %s [0:2, 1:3500] : (tensor<2x3501xcomplex<f64>>) -> tensor<2x3499xcomplex<f64>>
  %re = stablehlo.real %inner : (tensor<2x3499xcomplex<f64>>) -> tensor<2x3499xf64>
  %im = stablehlo.imag %inner : (tensor<2x3499xcomplex<f64>>) -> tensor<2x3499xf64>
  %minus = stablehlo.negate %im : tensor<2x3499xf64>
  %conjugate = stablehlo.complex %re, %minus : tensor<2x3499xcomplex<f64>>
  %mirrored = stablehlo.reverse %conjugate, dims = [1] : tensor<2x3499xcomplex<f64>>
  %whole = stablehlo.concatenate %first, %inner, %last, %mirrored, dim = 1 : (tensor<2x1xcomplex<f64>>, tensor<2x3499xcomplex<f64>>, tensor<2x1xcomplex<f64>>, tensor<2x3499xcomplex<f64>>) -> tensor<2x7000xcomplex<f64>>
  %back = stablehlo.fft %whole, type = IFFT, length = [7000] : (tensor<2x7000xcomplex<f64>>) -> tensor<2x7000xcomplex<f64>>
  %real = stablehlo.real %back : (tensor<2x7000xcomplex<f64>>) -> tensor<2x7000xf64>
  %y = stablehlo.fft %s, type = IRFFT, length = [7000] : (tensor<2x3501xcomplex<f64>>) -> tensor<2x7000xf64>
  check.expect_almost_eq %y, %real : tensor<2x7000xf64>
  return
}
// Along the last of several dimensions.
func.func @of_two_dimensions() {
  %i = stablehlo.iota dim = 2 : tensor<2x6x20xf64>
  %row = stablehlo.iota dim = 1 : tensor<2x6x20xf64>
  %page = stablehlo.iota dim = 0 : tensor<2x6x20xf64>
  %p = stablehlo.multiply %i, %row : tensor<2x6x20xf64>
  %q = stablehlo.add %p, %page : tensor<2x6x20xf64>
  %x = stablehlo.sine %q : tensor<2x6x20xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<2x6x20xf64>
  %z = stablehlo.complex %x, %zero : tensor<2x6x20xcomplex<f64>>
  %all = stablehlo.fft %z, type = FFT, length = [6, 20] : (tensor<2x6x20xcomplex<f64>>) -> tensor<2x6x20xcomplex<f64>>
  %expected = stablehlo.slice %all [0:2, 0:6, 0:11] : (tensor<2x6x20xcomplex<f64>>) -> tensor<2x6x11xcomplex<f64>>
  %found = stablehlo.fft %x, type = RFFT, length = [6, 20] : (tensor<2x6x20xf64>) -> tensor<2x6x11xcomplex<f64>>
  check.expect_almost_eq %found, %expected : tensor<2x6x11xcomplex<f64>>
  %back = stablehlo.fft %found, type = IRFFT, length = [6, 20] : (tensor<2x6x11xcomplex<f64>>) -> tensor<2x6x20xf64>
  check.expect_almost_eq %back, %x : tensor<2x6x20xf64>
  return
}
