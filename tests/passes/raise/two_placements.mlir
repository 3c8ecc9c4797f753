// Two placements side by side, each found by its size.
// passes: inline raise
// placement: clients=3 servers=5
// count: mr.reduce_sum 2
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>, %e: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<3x2xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
    %4 = stablehlo.multiply %3, %e : tensor<5x2xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %5, %2 : tensor<2xf32>, tensor<2xf32>
  }
}
