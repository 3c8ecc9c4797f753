// The point: normalisations become elementwise ops and sums, which fuse.
// passes: expand-ops
// count: stablehlo.batch_norm_inference 0
// count: stablehlo.batch_norm_training 0
// count: stablehlo.batch_norm_grad 0
// count: stablehlo.reduce 5
// input 4: 0.5 1.5 2
module {
  func.func public @main(%x: tensor<4x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %g: tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<3xf32>) {
    %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x2xf32>
    %1:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
    %2:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0, %1#0, %2#0, %2#1 : tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<3xf32>
  }
}
