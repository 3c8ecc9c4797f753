// Near miss: somebody else wants the gradient of the scores, here the bias that was added to them.
// passes: form-attention{always=yes}
// count: mr.attention 0
// count: mr.attention_gradient 0
module {
  func.func public @main(%arg0: tensor<2x2x20x8xf32>, %arg1: tensor<2x2x20x8xf32>, %arg2: tensor<2x2x20x8xf32>, %arg3: tensor<2x20x20xf32>, %arg4: tensor<2x2x20x8xf32>) -> (tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>, tensor<2x20x20xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>) -> tensor<2x2x20x20xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2, 3] : (tensor<2x20x20xf32>) -> tensor<2x2x20x20xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x2x20x20xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x20x20xf32>, tensor<f32>) -> tensor<2x2x20xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x2x20xf32>) -> tensor<2x2x20x20xf32>
    %6 = stablehlo.subtract %2, %5 : tensor<2x2x20x20xf32>
    %7 = stablehlo.exponential %6 : tensor<2x2x20x20xf32>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<2x2x20x20xf32>, tensor<f32>) -> tensor<2x2x20xf32>
    %10 = stablehlo.reshape %9 : (tensor<2x2x20xf32>) -> tensor<2x2x20x1xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x2x20xf32>) -> tensor<2x2x20x20xf32>
    %12 = stablehlo.divide %7, %11 : tensor<2x2x20x20xf32>
    %13 = stablehlo.multiply %10, %10 : tensor<2x2x20x1xf32>
    %14 = stablehlo.constant dense<1.000000e+00> : tensor<2x2x20x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<2x2x20x1xf32>
    %16 = stablehlo.dot_general %12, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x2x20x20xf32>, tensor<2x2x20x8xf32>) -> tensor<2x2x20x8xf32>
    %17 = stablehlo.dot_general %arg4, %12, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x2x20x8xf32>, tensor<2x2x20x20xf32>) -> tensor<2x2x8x20xf32>
    %18 = stablehlo.transpose %17, dims = [0, 1, 3, 2] : (tensor<2x2x8x20xf32>) -> tensor<2x2x20x8xf32>
    %19 = stablehlo.dot_general %arg4, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>) -> tensor<2x2x20x20xf32>
    %20 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<2x2x20x1xf32>) -> tensor<2x2x20x20xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<2x2x20x20xf32>
    %22 = stablehlo.multiply %21, %7 : tensor<2x2x20x20xf32>
    %23 = stablehlo.reduce(%22 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<2x2x20x20xf32>, tensor<f32>) -> tensor<2x2x20xf32>
    %24 = stablehlo.reshape %23 : (tensor<2x2x20xf32>) -> tensor<2x2x20x1xf32>
    %25 = stablehlo.negate %24 : tensor<2x2x20x1xf32>
    %26 = stablehlo.divide %19, %11 : tensor<2x2x20x20xf32>
    %27 = stablehlo.reshape %25 : (tensor<2x2x20x1xf32>) -> tensor<2x2x20xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<2x2x20xf32>) -> tensor<2x2x20x20xf32>
    %29 = stablehlo.add %26, %28 : tensor<2x2x20x20xf32>
    %30 = stablehlo.multiply %29, %7 : tensor<2x2x20x20xf32>
    %31 = stablehlo.reduce(%30 init: %8) applies stablehlo.add across dimensions = [0] : (tensor<2x2x20x20xf32>, tensor<f32>) -> tensor<2x20x20xf32>
    %32 = stablehlo.dot_general %30, %arg0, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x2x20x20xf32>, tensor<2x2x20x8xf32>) -> tensor<2x2x20x8xf32>
    %33 = stablehlo.dot_general %30, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x2x20x20xf32>, tensor<2x2x20x8xf32>) -> tensor<2x2x20x8xf32>
    return %16, %33, %32, %18, %31 : tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>, tensor<2x2x20x8xf32>, tensor<2x20x20xf32>
  }
}
