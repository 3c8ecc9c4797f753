// Near misses: padding, groups and windows of several elements.
// passes: expand-ops
// count: stablehlo.convolution 3
// count: stablehlo.dot_general 0
module {
  func.func public @main(%x: tensor<2x6x4xf32>, %k: tensor<1x4x6xf32>, %g: tensor<1x2x6xf32>, %w: tensor<3x4x6xf32>) -> (tensor<2x8x6xf32>, tensor<2x6x6xf32>, tensor<2x4x6xf32>) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x4xf32>, tensor<1x4x6xf32>) -> tensor<2x8x6xf32>
    %1 = stablehlo.convolution(%x, %g) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x6x4xf32>, tensor<1x2x6xf32>) -> tensor<2x6x6xf32>
    %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x4xf32>, tensor<3x4x6xf32>) -> tensor<2x4x6xf32>
    return %0, %1, %2 : tensor<2x8x6xf32>, tensor<2x6x6xf32>, tensor<2x4x6xf32>
  }
}
