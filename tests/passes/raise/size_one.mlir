// The boundary: one partition.
// passes: inline raise simplify
// placement: clients=1
// count: mr.map 1
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<1x2xf32>) -> (tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<1x2xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
