// The point: heads between rows and elements, conversions between all steps, products transposed.
// passes: form-attention{always=yes}
// count: mr.attention 1
// count: mr.attention_gradient 1
// count: stablehlo.dot_general 0
module {
  func.func public @main(%arg0: tensor<1x20x2x8xbf16>, %arg1: tensor<1x20x2x8xbf16>, %arg2: tensor<1x20x2x8xbf16>, %arg3: tensor<1x20x2x8xbf16>) -> (tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>) -> tensor<1x2x20x20xbf16>
    %1 = stablehlo.constant dense<3.535156e-01> : tensor<1x2x20x20xbf16>
    %2 = stablehlo.multiply %0, %1 : tensor<1x2x20x20xbf16>
    %3 = stablehlo.iota dim = 0 : tensor<20x20xi32>
    %4 = stablehlo.iota dim = 1 : tensor<20x20xi32>
    %5 = stablehlo.compare GE, %3, %4, SIGNED : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
    %6 = stablehlo.convert %2 : (tensor<1x2x20x20xbf16>) -> tensor<1x2x20x20xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [2, 3] : (tensor<20x20xi1>) -> tensor<1x2x20x20xi1>
    %8 = stablehlo.constant dense<-1.000000e+09> : tensor<1x2x20x20xf32>
    %9 = stablehlo.select %7, %6, %8 : tensor<1x2x20x20xi1>, tensor<1x2x20x20xf32>
    %10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %13 = stablehlo.subtract %9, %12 : tensor<1x2x20x20xf32>
    %14 = stablehlo.exponential %13 : tensor<1x2x20x20xf32>
    %15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%14 init: %15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %19 = stablehlo.divide %14, %18 : tensor<1x2x20x20xf32>
    %20 = stablehlo.multiply %17, %17 : tensor<1x2x20x1xf32>
    %21 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x20x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<1x2x20x1xf32>
    %23 = stablehlo.convert %19 : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xbf16>
    %24 = stablehlo.dot_general %arg2, %23, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<1x20x2x8xbf16>, tensor<1x2x20x20xbf16>) -> tensor<1x2x8x20xbf16>
    %25 = stablehlo.transpose %24, dims = [0, 3, 1, 2] : (tensor<1x2x8x20xbf16>) -> tensor<1x20x2x8xbf16>
    %26 = stablehlo.transpose %arg3, dims = [0, 2, 3, 1] : (tensor<1x20x2x8xbf16>) -> tensor<1x2x8x20xbf16>
    %27 = stablehlo.dot_general %26, %arg2, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3] : (tensor<1x2x8x20xbf16>, tensor<1x20x2x8xbf16>) -> tensor<1x2x20x20xbf16>
    %28 = stablehlo.dot_general %26, %23, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x8x20xbf16>, tensor<1x2x20x20xbf16>) -> tensor<1x2x8x20xbf16>
    %29 = stablehlo.transpose %28, dims = [0, 3, 1, 2] : (tensor<1x2x8x20xbf16>) -> tensor<1x20x2x8xbf16>
    %30 = stablehlo.convert %27 : (tensor<1x2x20x20xbf16>) -> tensor<1x2x20x20xf32>
    %31 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<1x2x20x20xf32>
    %33 = stablehlo.multiply %32, %14 : tensor<1x2x20x20xf32>
    %34 = stablehlo.reduce(%33 init: %15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20xf32>
    %35 = stablehlo.reshape %34 : (tensor<1x2x20xf32>) -> tensor<1x2x20x1xf32>
    %36 = stablehlo.negate %35 : tensor<1x2x20x1xf32>
    %37 = stablehlo.divide %30, %18 : tensor<1x2x20x20xf32>
    %38 = stablehlo.reshape %36 : (tensor<1x2x20x1xf32>) -> tensor<1x2x20xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x20xf32>
    %40 = stablehlo.add %37, %39 : tensor<1x2x20x20xf32>
    %41 = stablehlo.multiply %40, %14 : tensor<1x2x20x20xf32>
    %42 = stablehlo.constant dense<0.000000e+00> : tensor<1x2x20x20xf32>
    %43 = stablehlo.select %7, %41, %42 : tensor<1x2x20x20xi1>, tensor<1x2x20x20xf32>
    %44 = stablehlo.convert %43 : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xbf16>
    %45 = stablehlo.multiply %44, %1 : tensor<1x2x20x20xbf16>
    %46 = stablehlo.dot_general %45, %arg0, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<1x2x20x20xbf16>, tensor<1x20x2x8xbf16>) -> tensor<1x2x20x8xbf16>
    %47 = stablehlo.transpose %46, dims = [0, 2, 1, 3] : (tensor<1x2x20x8xbf16>) -> tensor<1x20x2x8xbf16>
    %48 = stablehlo.dot_general %45, %arg1, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<1x2x20x20xbf16>, tensor<1x20x2x8xbf16>) -> tensor<1x2x20x8xbf16>
    %49 = stablehlo.transpose %48, dims = [0, 2, 1, 3] : (tensor<1x2x20x8xbf16>) -> tensor<1x20x2x8xbf16>
    return %25, %49, %47, %29 : tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>
  }
}
