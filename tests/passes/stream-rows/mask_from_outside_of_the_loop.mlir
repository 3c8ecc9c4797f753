// The point: the body of a loop reads a large mask that is made outside of it. It is sliced as an argument would be, and its
// nodes stay where they are.
// passes: stream-rows{large-bytes=20000}
// count: stablehlo.while 2
module {
  func.func public @main(%q: tensor<128x4xf32>, %k: tensor<64x4xf32>, %bias: tensor<64xf32>) -> tensor<128xf32> {
    %row = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<64xf32>) -> tensor<128x64xf32>
    %mask = stablehlo.exponential %row : tensor<128x64xf32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %z0 = stablehlo.constant dense<0.0> : tensor<128xf32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0:2 = stablehlo.while(%i = %i0, %acc = %z0) : tensor<i32>, tensor<128xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<128x4xf32>, tensor<64x4xf32>) -> tensor<128x64xf32>
      %d = stablehlo.subtract %s, %mask : tensor<128x64xf32>
      %e = stablehlo.tanh %d : tensor<128x64xf32>
      %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x64xf32>, tensor<f32>) -> tensor<128xf32>
      %a = stablehlo.add %acc, %z : tensor<128xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %a : tensor<i32>, tensor<128xf32>
    }
    return %0#1 : tensor<128xf32>
  }
}
