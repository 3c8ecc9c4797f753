// A near miss: a sum that is divided by another number than the size is no mean.
// passes: inline raise
// placement: clients=3
// count: mr.map 1
// count: mr.reduce_mean 0
// count: mr.reduce_sum 1
// count: stablehlo.divide 1
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<3x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %n = stablehlo.constant dense<4.0> : tensor<2xf32>
    %5 = stablehlo.divide %3, %n : tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
