// What a reduction feeds back into the partitions is a second map.
// passes: inline raise
// placement: clients=4
// count: mr.map 2
// count: mr.reduce_sum 2
module @m {
  func.func public @main(%d: tensor<4x3xf32>) -> (tensor<3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.exponential %d : tensor<4x3xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.sqrt %1 : tensor<3xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<4x3xf32>
    %5 = stablehlo.abs %4 : tensor<4x3xf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %6 : tensor<3xf32>
  }
}
