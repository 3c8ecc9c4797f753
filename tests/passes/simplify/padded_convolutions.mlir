// Zeros around the input are the convolution's padding; around features, between elements or of another value they are not.
// passes: simplify
// count: stablehlo.pad 4
func.func @main(%x: tensor<2x7x6x4xf32>, %k: tensor<3x2x4x6xf32>, %l: tensor<3x2x5x6xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x13x9x6xf32>, tensor<2x5x5x6xf32>, tensor<2x9x5x6xf32>, tensor<2x7x5x6xf32>, tensor<2x15x5x6xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<-0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [0, 1, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x7x6x4xf32>, tensor<f32>) -> tensor<2x9x7x4xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x7x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x8x6x6xf32>
  %b = stablehlo.pad %x, %z, low = [0, 0, 4, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x7x6x4xf32>, tensor<f32>) -> tensor<2x7x10x4xf32>
  %1 = stablehlo.convolution(%b, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]], lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x10x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x13x9x6xf32>
  %c = stablehlo.pad %x, %z, low = [0, 0, 0, 1], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x7x6x4xf32>, tensor<f32>) -> tensor<2x7x6x5xf32>
  %2 = stablehlo.convolution(%c, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<3x2x5x6xf32>) -> tensor<2x5x5x6xf32>
  %d = stablehlo.pad %x, %n, low = [0, 2, 0, 0], high = [0, 2, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x7x6x4xf32>, tensor<f32>) -> tensor<2x11x6x4xf32>
  %3 = stablehlo.convolution(%d, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x11x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x9x5x6xf32>
  %e = stablehlo.pad %x, %o, low = [0, 1, 0, 0], high = [0, 1, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x7x6x4xf32>, tensor<f32>) -> tensor<2x9x6x4xf32>
  %4 = stablehlo.convolution(%e, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x7x5x6xf32>
  %f = stablehlo.pad %x, %z, low = [0, 2, 0, 0], high = [0, 2, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x7x6x4xf32>, tensor<f32>) -> tensor<2x17x6x4xf32>
  %5 = stablehlo.convolution(%f, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x17x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x15x5x6xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x8x6x6xf32>, tensor<2x13x9x6xf32>, tensor<2x5x5x6xf32>, tensor<2x9x5x6xf32>, tensor<2x7x5x6xf32>, tensor<2x15x5x6xf32>
}
