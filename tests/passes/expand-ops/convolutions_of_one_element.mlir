// The point: windows of one element are a contraction, of slices where there are strides.
// passes: expand-ops
// count: stablehlo.convolution 0
// count: stablehlo.dot_general 2
// count: stablehlo.slice 1
// count: stablehlo.transpose 1
module {
  func.func public @main(%x: tensor<2x5x6x4xf32>, %k: tensor<1x1x4x3xf32>, %j: tensor<3x4x1x1xf32>) -> (tensor<2x5x6x3xf32>, tensor<3x2x3x2xf32>) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x4xf32>, tensor<1x1x4x3xf32>) -> tensor<2x5x6x3xf32>
    %1 = stablehlo.convolution(%x, %j) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[f, b, 0, 1], window = {stride = [2, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x4xf32>, tensor<3x4x1x1xf32>) -> tensor<3x2x3x2xf32>
    return %0, %1 : tensor<2x5x6x3xf32>, tensor<3x2x3x2xf32>
  }
}
