// Transposed: the axis moves through the program and comes out at dimension 1; a product over it is
// no combiner of mr and stays outside.
// passes: inline raise
// placement: clients=5
// count: mr.map 1
// count: mr.reduce_max 1
// remark: combined by 'multiply'
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x5xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
    %1 = stablehlo.add %0, %d : tensor<5x2xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<5x2xf32>) -> tensor<2x5xf32>
    %3 = stablehlo.cosine %2 : tensor<2x5xf32>
    %minf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %minf) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.reduce(%3 init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    return %4, %5, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2x5xf32>
  }
}
