// Chains of operations that move data become one or none.
// passes: simplify
module @m {
  func.func public @main(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<24xf32>, tensor<5x3x2xf32>, tensor<2x1x1xf32>, tensor<2x3x4xf32>, tensor<3x1xf32>) {
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<6x4xf32>) -> tensor<24xf32>
    %4 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<3x1xf32>) -> tensor<5x3x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<5x3x1xf32>) -> tensor<5x3x2xf32>
    %7 = stablehlo.slice %x [0:2, 1:3, 0:4:2] : (tensor<2x3x4xf32>) -> tensor<2x2x2xf32>
    %8 = stablehlo.slice %7 [0:2, 1:2, 1:2] : (tensor<2x2x2xf32>) -> tensor<2x1x1xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %9 = stablehlo.pad %x, %zero, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
    %10 = stablehlo.concatenate %9, dim = 1 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %11 = stablehlo.reverse %10, dims = [1] : tensor<2x3x4xf32>
    %12 = stablehlo.reverse %11, dims = [1] : tensor<2x3x4xf32>
    %13 = stablehlo.transpose %4, dims = [1, 0] : (tensor<3x1xf32>) -> tensor<1x3xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x3xf32>) -> tensor<3x1xf32>
    return %1, %3, %6, %8, %12, %14 : tensor<2x3x4xf32>, tensor<24xf32>, tensor<5x3x2xf32>, tensor<2x1x1xf32>, tensor<2x3x4xf32>, tensor<3x1xf32>
  }
}
// expect:
module @m {
  func.func public @main(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<24xf32>, tensor<5x3x2xf32>, tensor<2x1x1xf32>, tensor<2x3x4xf32>, tensor<3x1xf32>) {
    %0 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<24xf32>
    %4 = stablehlo.reshape %v : (tensor<3xf32>) -> tensor<3x1xf32>
    %1 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<5x3x2xf32>
    %2 = stablehlo.slice %x [0:2, 2:3, 2:3] : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
    return %x, %0, %1, %2, %x, %4 : tensor<2x3x4xf32>, tensor<24xf32>, tensor<5x3x2xf32>, tensor<2x1x1xf32>, tensor<2x3x4xf32>, tensor<3x1xf32>
  }
}
