// A convolution of stride 2 over rows of uneven number, its gradient by the input with dilated rows, a pooling.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<1x27x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<3x2x2xf32>) -> (tensor<1x14x2xf32>, tensor<1x27x2xf32>, tensor<1x13x2xf32>) {
    %y = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x27x2xf32>, tensor<3x2x2xf32>) -> tensor<1x14x2xf32>
    %da = stablehlo.convolution(%y, %k) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [2], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x14x2xf32>, tensor<3x2x2xf32>) -> tensor<1x27x2xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %p = "stablehlo.reduce_window"(%a, %low) <{window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %z: tensor<f32>):
      %m = stablehlo.maximum %x, %z : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<1x27x2xf32>, tensor<f32>) -> tensor<1x13x2xf32>
    return %y, %da, %p : tensor<1x14x2xf32>, tensor<1x27x2xf32>, tensor<1x13x2xf32>
  }
}
