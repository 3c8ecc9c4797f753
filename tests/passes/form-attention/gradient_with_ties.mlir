// The point: what a softmax's gradient gives back to its maximum, shared among equal scores, is nothing.
// passes: form-attention{always=yes}
// count: mr.attention 1
// count: mr.attention_gradient 1
// count: stablehlo.dot_general 0
module {
  func.func public @main(%arg0: tensor<1x2x20x8xf32>, %arg1: tensor<1x2x20x8xf32>, %arg2: tensor<1x2x20x8xf32>, %arg3: tensor<1x2x20x8xf32>) -> (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %1 = stablehlo.constant dense<2.828427e+00> : tensor<1x2x20x20xf32>
    %2 = stablehlo.divide %0, %1 : tensor<1x2x20x20xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %6 = stablehlo.compare EQ, %2, %5, FLOAT : (tensor<1x2x20x20xf32>, tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xi1>
    %7 = stablehlo.convert %6 : (tensor<1x2x20x20xi1>) -> tensor<1x2x20x20xf32>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %10 = stablehlo.subtract %2, %5 : tensor<1x2x20x20xf32>
    %11 = stablehlo.exponential %10 : tensor<1x2x20x20xf32>
    %12 = stablehlo.reduce(%11 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %15 = stablehlo.divide %11, %14 : tensor<1x2x20x20xf32>
    %16 = stablehlo.multiply %13, %13 : tensor<1x2x20x1xf32>
    %17 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x20x1xf32>
    %18 = stablehlo.divide %17, %16 : tensor<1x2x20x1xf32>
    %19 = stablehlo.dot_general %15, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %20 = stablehlo.dot_general %arg3, %15, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x8xf32>, tensor<1x2x20x20xf32>) -> tensor<1x2x8x20xf32>
    %21 = stablehlo.transpose %20, dims = [0, 1, 3, 2] : (tensor<1x2x8x20xf32>) -> tensor<1x2x20x8xf32>
    %22 = stablehlo.dot_general %arg3, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x20xf32>
    %23 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
    %24 = stablehlo.multiply %22, %23 : tensor<1x2x20x20xf32>
    %25 = stablehlo.multiply %24, %11 : tensor<1x2x20x20xf32>
    %26 = stablehlo.reduce(%25 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %28 = stablehlo.negate %27 : tensor<1x2x20x1xf32>
    %29 = stablehlo.divide %22, %14 : tensor<1x2x20x20xf32>
    %30 = stablehlo.reshape %28 : (tensor<1x2x20x1xf32>) -> tensor<1x2x20xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %32 = stablehlo.add %29, %31 : tensor<1x2x20x20xf32>
    %33 = stablehlo.multiply %32, %11 : tensor<1x2x20x20xf32>
    %34 = stablehlo.negate %33 : tensor<1x2x20x20xf32>
    %35 = stablehlo.reduce(%34 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %36 = stablehlo.divide %35, %9 : tensor<1x2x20xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %38 = stablehlo.multiply %37, %7 : tensor<1x2x20x20xf32>
    %39 = stablehlo.add %33, %38 : tensor<1x2x20x20xf32>
    %40 = stablehlo.divide %39, %1 : tensor<1x2x20x20xf32>
    %41 = stablehlo.dot_general %40, %arg0, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    %42 = stablehlo.dot_general %40, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    return %19, %42, %41, %21 : tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>, tensor<1x2x20x8xf32>
  }
}
