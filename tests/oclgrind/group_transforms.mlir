// Fourier transforms whose lines fit in local memory: along lines, across them, of real numbers there and back.
func.func @main(%x: tensor<5x100xcomplex<f32>>, %y: tensor<2x32x36xf32>, %z: tensor<3x501xcomplex<f64>>) -> (tensor<5x100xcomplex<f32>>, tensor<2x32x19xcomplex<f32>>, tensor<3x1000xf64>) {
  %0 = stablehlo.fft %x, type = IFFT, length = [100] : (tensor<5x100xcomplex<f32>>) -> tensor<5x100xcomplex<f32>>
  %1 = stablehlo.fft %y, type = RFFT, length = [32, 36] : (tensor<2x32x36xf32>) -> tensor<2x32x19xcomplex<f32>>
  %2 = stablehlo.fft %z, type = IRFFT, length = [1000] : (tensor<3x501xcomplex<f64>>) -> tensor<3x1000xf64>
  return %0, %1, %2 : tensor<5x100xcomplex<f32>>, tensor<2x32x19xcomplex<f32>>, tensor<3x1000xf64>
}
