// The axis folded into another dimension, as JAX does for batches, and out again.
// passes: inline raise
// placement: clients=3
// count: mr.map 1
// count: mr.reduce_sum 1
module @m {
  func.func public @main(%w: tensor<4x5xf32>, %d: tensor<3x2x4xf32>) -> (tensor<2x5xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reshape %d : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    %2 = stablehlo.tanh %1 : tensor<6x5xf32>
    %3 = stablehlo.reshape %2 : (tensor<6x5xf32>) -> tensor<3x2x5xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %4 : tensor<2x5xf32>
  }
}
