// The point: the gradient of what scores go through takes scores again.
// passes: form-attention{always=yes}
// count: mr.attention 1
// count: mr.attention_gradient 1
// count: stablehlo.dot_general 0
module {
  func.func public @main(%arg0: tensor<1x2x20x8xf32>, %arg1: tensor<1x2x20x8xf32>, %arg2: tensor<1x2x20x8xf32>, %arg3: tensor<1x2x20x8xf32>) -> (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %1 = stablehlo.constant dense<5.000000e+00> : tensor<1x2x20x20xf32>
    %2 = stablehlo.divide %0, %1 : tensor<1x2x20x20xf32>
    %3 = stablehlo.tanh %2 : tensor<1x2x20x20xf32>
    %4 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x20x20xf32>
    %5 = stablehlo.subtract %4, %3 : tensor<1x2x20x20xf32>
    %6 = stablehlo.multiply %1, %3 : tensor<1x2x20x20xf32>
    %7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%6 init: %7) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %10 = stablehlo.subtract %6, %9 : tensor<1x2x20x20xf32>
    %11 = stablehlo.exponential %10 : tensor<1x2x20x20xf32>
    %12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%11 init: %12) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %16 = stablehlo.divide %11, %15 : tensor<1x2x20x20xf32>
    %17 = stablehlo.multiply %14, %14 : tensor<1x2x20x1xf32>
    %18 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x20x1xf32>
    %19 = stablehlo.divide %18, %17 : tensor<1x2x20x1xf32>
    %20 = stablehlo.dot_general %16, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %21 = stablehlo.dot_general %arg3, %16, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x8xf32>, tensor<1x2x20x20xf32>) -> tensor<1x2x8x20xf32>
    %22 = stablehlo.transpose %21, dims = [0, 1, 3, 2] : (tensor<1x2x8x20xf32>) -> tensor<1x2x20x8xf32>
    %23 = stablehlo.dot_general %arg3, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %24 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2, 3] : (tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
    %25 = stablehlo.multiply %23, %24 : tensor<1x2x20x20xf32>
    %26 = stablehlo.multiply %25, %11 : tensor<1x2x20x20xf32>
    %27 = stablehlo.reduce(%26 init: %12) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %29 = stablehlo.negate %28 : tensor<1x2x20x1xf32>
    %30 = stablehlo.divide %23, %15 : tensor<1x2x20x20xf32>
    %31 = stablehlo.reshape %29 : (tensor<1x2x20x1xf32>) -> tensor<1x2x20xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %33 = stablehlo.add %30, %32 : tensor<1x2x20x20xf32>
    %34 = stablehlo.multiply %33, %11 : tensor<1x2x20x20xf32>
    %35 = stablehlo.multiply %1, %34 : tensor<1x2x20x20xf32>
    %36 = stablehlo.multiply %35, %5 : tensor<1x2x20x20xf32>
    %37 = stablehlo.multiply %36, %3 : tensor<1x2x20x20xf32>
    %38 = stablehlo.add %36, %37 : tensor<1x2x20x20xf32>
    %39 = stablehlo.divide %38, %1 : tensor<1x2x20x20xf32>
    %40 = stablehlo.dot_general %39, %arg0, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %41 = stablehlo.dot_general %39, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    return %20, %41, %40, %22 : tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>
  }
}
