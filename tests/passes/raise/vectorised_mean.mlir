// The point: a program that arrives vectorised becomes broadcast, map and reduce_mean.
// passes: inline raise
// placement: clients=3
// count: mr.map 1
// count: mr.reduce_mean 1
// count: stablehlo.divide 0
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<3x2xf32>
    %2 = stablehlo.sine %1 : tensor<3x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %n = stablehlo.constant dense<3.0> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.divide %3, %4 : tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
