// The boundary: large windows side by side are a reduction; small ones, and ones that overlap, stay.
// passes: expand-ops
// count: stablehlo.reduce 1
// count: stablehlo.reduce_window 2
module {
  func.func public @main(%x: tensor<3x64x32xf32>) -> (tensor<3x2x1xf32>, tensor<3x32x16xf32>, tensor<3x1x1xf32>) {
    %i = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 32, 32>, window_strides = array<i64: 1, 32, 32>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x64x32xf32>, tensor<f32>) -> tensor<3x2x1xf32>
    %1 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x64x32xf32>, tensor<f32>) -> tensor<3x32x16xf32>
    %2 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 64, 32>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x64x32xf32>, tensor<f32>) -> tensor<3x1x1xf32>
    return %0, %1, %2 : tensor<3x2x1xf32>, tensor<3x32x16xf32>, tensor<3x1x1xf32>
  }
}
