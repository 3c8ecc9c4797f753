// A product that sums over the axis too is a product per partition and a reduce_sum.
// passes: inline raise
// placement: clients=3
// count: mr.reduce_sum 1
// count: mr.map 1
module @m {
  func.func public @main(%d: tensor<3x4xf32>, %e: tensor<3x5xf32>) -> (tensor<4x5xf32>) {
    %0 = stablehlo.sine %d : tensor<3x4xf32>
    %1 = stablehlo.cosine %e : tensor<3x5xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
}
