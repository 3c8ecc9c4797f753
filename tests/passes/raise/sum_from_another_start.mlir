// A near miss: a sum that starts from another value than 0 would add it once per partition.
// passes: inline raise
// placement: clients=4
// remark: initial value is no identity
// count: mr.reduce_sum 0
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<4x2xf32>) -> (tensor<2xf32>) {
    %start = stablehlo.constant dense<5.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<4x2xf32>
    %2 = stablehlo.sine %1 : tensor<4x2xf32>
    %3 = stablehlo.reduce(%2 init: %start) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
