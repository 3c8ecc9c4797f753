// What a branch or a loop makes again of what is there before it, with constants and broadcasts of its own, is
// taken from there; what only widens stays.
// passes: simplify
// count: stablehlo.multiply 2
// count: stablehlo.reduce 1
// count: stablehlo.subtract 3
// count: stablehlo.maximum 2
module @m {
  func.func public @main(%x: tensor<4x4xf32>, %y: tensor<4xf32>, %c: tensor<i32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %two = stablehlo.constant dense<2.0> : tensor<4x4xf32>
    %0 = stablehlo.multiply %x, %x : tensor<4x4xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.multiply %two, %x : tensor<4x4xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<4x4xf32>
    %wide = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.maximum %wide, %two : tensor<4x4xf32>
    %6 = "stablehlo.case"(%c) ({
      %two_0 = stablehlo.constant dense<2.0> : tensor<4x4xf32>
      %zero_0 = stablehlo.constant dense<0.0> : tensor<f32>
      %7 = stablehlo.multiply %x, %x : tensor<4x4xf32>
      %8 = stablehlo.reduce(%7 init: %zero_0) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
      %10 = stablehlo.multiply %two_0, %x : tensor<4x4xf32>
      %11 = stablehlo.subtract %9, %10 : tensor<4x4xf32>
      %12 = stablehlo.subtract %11, %x : tensor<4x4xf32>
      stablehlo.return %12 : tensor<4x4xf32>
    }, {
      %two_0 = stablehlo.constant dense<2.0> : tensor<4x4xf32>
      %wide_0 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
      %7 = stablehlo.maximum %wide_0, %two_0 : tensor<4x4xf32>
      %8 = stablehlo.subtract %x, %7 : tensor<4x4xf32>
      stablehlo.return %8 : tensor<4x4xf32>
    }) : (tensor<i32>) -> tensor<4x4xf32>
    return %4, %5, %6 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}
