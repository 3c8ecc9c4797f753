// Near miss: what is called the gradient by values takes other cotangents than that of the scores.
// passes: form-attention{always=yes}
// count: mr.attention 0
// count: mr.attention_gradient 0
module {
  func.func public @main(%arg0: tensor<1x2x20x8xf32>, %arg1: tensor<1x2x20x8xf32>, %arg2: tensor<1x2x20x8xf32>, %arg3: tensor<1x2x20x8xf32>) -> (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<1x2x20x20xf32>
    %5 = stablehlo.exponential %4 : tensor<1x2x20x20xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %10 = stablehlo.divide %5, %9 : tensor<1x2x20x20xf32>
    %11 = stablehlo.multiply %8, %8 : tensor<1x2x20x1xf32>
    %12 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x20x1xf32>
    %13 = stablehlo.divide %12, %11 : tensor<1x2x20x1xf32>
    %14 = stablehlo.dot_general %10, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %15 = stablehlo.dot_general %arg3, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %16 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
    %17 = stablehlo.multiply %15, %16 : tensor<1x2x20x20xf32>
    %18 = stablehlo.multiply %17, %5 : tensor<1x2x20x20xf32>
    %19 = stablehlo.reduce(%18 init: %6) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %21 = stablehlo.negate %20 : tensor<1x2x20x1xf32>
    %22 = stablehlo.divide %15, %9 : tensor<1x2x20x20xf32>
    %23 = stablehlo.reshape %21 : (tensor<1x2x20x1xf32>) -> tensor<1x2x20xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %25 = stablehlo.add %22, %24 : tensor<1x2x20x20xf32>
    %26 = stablehlo.multiply %25, %5 : tensor<1x2x20x20xf32>
    %27 = stablehlo.dot_general %26, %arg0, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %28 = stablehlo.dot_general %26, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %29 = stablehlo.constant dense<2.000000e+00> : tensor<1x2x20x8xf32>
    %30 = stablehlo.multiply %29, %arg3 : tensor<1x2x20x8xf32>
    %31 = stablehlo.dot_general %10, %30, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    return %14, %28, %27, %31 : tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>
  }
}
