// A step of training three convolutions on images cut along their rows: 20 MiB of images and of what they shall become.
module @images {
  sdy.mesh @mesh = <["x"=8]>
  func.func private @loss(%k0: tensor<3x3x8x8xf32>, %k1: tensor<3x3x8x8xf32>, %k2: tensor<3x3x8x8xf32>, %images: tensor<4x512x256x8xf32>, %wanted: tensor<4x256x128x8xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %h0 = stablehlo.convolution(%images, %k0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x512x256x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x512x256x8xf32>
    %a0 = stablehlo.tanh %h0 : tensor<4x512x256x8xf32>
    %p = "stablehlo.reduce_window"(%a0, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4x512x256x8xf32>, tensor<f32>) -> tensor<4x256x128x8xf32>
    %h1 = stablehlo.convolution(%p, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x256x128x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x128x64x8xf32>
    %a1 = stablehlo.tanh %h1 : tensor<4x128x64x8xf32>
    %h2 = stablehlo.convolution(%a1, %k2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x128x64x8xf32>, tensor<3x3x8x8xf32>) -> tensor<4x256x128x8xf32>
    %d = stablehlo.subtract %h2, %wanted : tensor<4x256x128x8xf32>
    %q = stablehlo.multiply %d, %d : tensor<4x256x128x8xf32>
    %s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x256x128x8xf32>, tensor<f32>) -> tensor<f32>
    %n = stablehlo.constant dense<1048576.0> : tensor<f32>
    %l = stablehlo.divide %s, %n : tensor<f32>
    return %l : tensor<f32>
  }
  func.func public @main(%k0: tensor<3x3x8x8xf32>, %k1: tensor<3x3x8x8xf32>, %k2: tensor<3x3x8x8xf32>, %images: tensor<4x512x256x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %wanted: tensor<4x256x128x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) -> (tensor<f32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>) {
    %l, %g0, %g1, %g2 = "mr.grad"(%k0, %k1, %k2, %images, %wanted) {callee = @loss, wrt = array<i64: 0, 1, 2>, value = true, mode = "reverse"} : (tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<4x512x256x8xf32>, tensor<4x256x128x8xf32>) -> (tensor<f32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>)
    %rate = stablehlo.constant dense<0.1> : tensor<3x3x8x8xf32>
    %u0 = stablehlo.multiply %rate, %g0 : tensor<3x3x8x8xf32>
    %u1 = stablehlo.multiply %rate, %g1 : tensor<3x3x8x8xf32>
    %u2 = stablehlo.multiply %rate, %g2 : tensor<3x3x8x8xf32>
    %n0 = stablehlo.subtract %k0, %u0 : tensor<3x3x8x8xf32>
    %n1 = stablehlo.subtract %k1, %u1 : tensor<3x3x8x8xf32>
    %n2 = stablehlo.subtract %k2, %u2 : tensor<3x3x8x8xf32>
    return %l, %n0, %n1, %n2 : tensor<f32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>
  }
}
