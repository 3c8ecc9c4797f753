// The point: a masked softmax and its gradient are two ops; row sums of the gradient are dots of cotangents and results.
// passes: form-attention{always=yes}
// count: mr.attention 1
// count: mr.attention_gradient 1
// count: stablehlo.dot_general 0
module {
  func.func public @main(%arg0: tensor<1x2x20x8xf32>, %arg1: tensor<1x2x20x8xf32>, %arg2: tensor<1x2x20x8xf32>, %arg3: tensor<1x2x20x8xf32>) -> (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %1 = stablehlo.constant dense<2.828427e+00> : tensor<1x2x20x20xf32>
    %2 = stablehlo.divide %0, %1 : tensor<1x2x20x20xf32>
    %3 = stablehlo.iota dim = 0 : tensor<20x20xi32>
    %4 = stablehlo.iota dim = 1 : tensor<20x20xi32>
    %5 = stablehlo.compare GE, %3, %4, SIGNED : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
    %6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [2, 3] : (tensor<20x20xi1>) -> tensor<1x2x20x20xi1>
    %8 = stablehlo.constant dense<0xFF800000> : tensor<1x2x20x20xf32>
    %9 = stablehlo.select %7, %2, %8 : tensor<1x2x20x20xi1>, tensor<1x2x20x20xf32>
    %10 = stablehlo.reduce(%9 init: %6) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %12 = stablehlo.subtract %9, %11 : tensor<1x2x20x20xf32>
    %13 = stablehlo.exponential %12 : tensor<1x2x20x20xf32>
    %14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %18 = stablehlo.divide %13, %17 : tensor<1x2x20x20xf32>
    %19 = stablehlo.multiply %16, %16 : tensor<1x2x20x1xf32>
    %20 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x20x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<1x2x20x1xf32>
    %22 = stablehlo.dot_general %18, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %23 = stablehlo.dot_general %arg3, %18, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x8xf32>, tensor<1x2x20x20xf32>) -> tensor<1x2x8x20xf32>
    %24 = stablehlo.transpose %23, dims = [0, 1, 3, 2] : (tensor<1x2x8x20xf32>) -> tensor<1x2x20x8xf32>
    %25 = stablehlo.dot_general %arg3, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %26 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<1x2x20x20xf32>
    %28 = stablehlo.multiply %27, %13 : tensor<1x2x20x20xf32>
    %29 = stablehlo.reduce(%28 init: %14) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %30 = stablehlo.reshape %29 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %31 = stablehlo.negate %30 : tensor<1x2x20x1xf32>
    %32 = stablehlo.divide %25, %17 : tensor<1x2x20x20xf32>
    %33 = stablehlo.reshape %31 : (tensor<1x2x20x1xf32>) -> tensor<1x2x20xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %35 = stablehlo.add %32, %34 : tensor<1x2x20x20xf32>
    %36 = stablehlo.multiply %35, %13 : tensor<1x2x20x20xf32>
    %37 = stablehlo.constant dense<0.000000e+00> : tensor<1x2x20x20xf32>
    %38 = stablehlo.select %7, %36, %37 : tensor<1x2x20x20xi1>, tensor<1x2x20x20xf32>
    %39 = stablehlo.divide %38, %1 : tensor<1x2x20x20xf32>
    %40 = stablehlo.dot_general %39, %arg0, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %41 = stablehlo.dot_general %39, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    return %22, %41, %40, %24 : tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>
  }
}
