// A transpose that moves more than extents of 1, a broadcast over an extent that is not 1, a slice
// across two parts and a pad with a border stay.
// passes: simplify
// count: stablehlo.transpose 1
// count: stablehlo.broadcast_in_dim 1
// count: stablehlo.concatenate 1
// count: stablehlo.slice 1
// count: stablehlo.pad 1
// count: stablehlo.reverse 1
module @m {
  func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x2x3xf32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
    %2 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.slice %2 [0:2, 2:4] : (tensor<2x6xf32>) -> tensor<2x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.pad %x, %zero, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %5 = stablehlo.reverse %x, dims = [0] : tensor<2x3xf32>
    return %0, %1, %3, %4, %5 : tensor<3x2xf32>, tensor<2x2x3xf32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<2x3xf32>
  }
}
