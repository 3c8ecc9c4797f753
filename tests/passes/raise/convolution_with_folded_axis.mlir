// A convolution of each partition with its own kernel: the axis is in the features, a group for each;
// then one with a common kernel, the axis in the batch.
// passes: inline raise simplify-loops simplify
// placement: clients=5
// count: mr.map 1
// count: mr.reduce_sum 1
// count: stablehlo.convolution 2
module @m {
  func.func public @main(%x: tensor<5x2x3x4x4xf32>, %k: tensor<5x2x3x2x2xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<2x2x3x3xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0, 2, 3, 4] : (tensor<5x2x3x4x4xf32>) -> tensor<2x5x3x4x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x5x3x4x4xf32>) -> tensor<2x15x4x4xf32>
    %2 = stablehlo.reshape %k : (tensor<5x2x3x2x2xf32>) -> tensor<10x3x2x2xf32>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : (tensor<2x15x4x4xf32>, tensor<10x3x2x2xf32>) -> tensor<2x10x3x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x10x3x3xf32>) -> tensor<2x5x2x3x3xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0, 2, 3, 4] : (tensor<2x5x2x3x3xf32>) -> tensor<5x2x2x3x3xf32>
    %6 = stablehlo.reshape %5 : (tensor<5x2x2x3x3xf32>) -> tensor<10x2x3x3xf32>
    %7 = stablehlo.convolution(%6, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<10x2x3x3xf32>, tensor<2x2x1x1xf32>) -> tensor<10x2x3x3xf32>
    %8 = stablehlo.reshape %7 : (tensor<10x2x3x3xf32>) -> tensor<5x2x2x3x3xf32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<5x2x2x3x3xf32>, tensor<f32>) -> tensor<2x2x3x3xf32>
    return %9 : tensor<2x2x3x3xf32>
  }
}
