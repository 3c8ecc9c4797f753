// The point: dimensions of one element come and go between the steps.
// passes: form-attention{always=yes}
// count: mr.attention 1
// count: mr.attention_gradient 1
// count: stablehlo.dot_general 0
module {
  func.func public @main(%arg0: tensor<1x20x2x8xbf16>, %arg1: tensor<1x20x2x8xbf16>, %arg2: tensor<1x20x2x8xbf16>, %arg3: tensor<1x20x2x8xbf16>) -> (tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>) {
    %0 = stablehlo.reshape %arg0 : (tensor<1x20x2x8xbf16>) -> tensor<1x20x2x1x8xbf16>
    %1 = stablehlo.dot_general %0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x20x2x1x8xbf16>, tensor<1x20x2x8xbf16>) -> tensor<1x2x20x1x20xf32>
    %2 = stablehlo.constant dense<3.5355338e-01> : tensor<1x2x20x1x20xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<1x2x20x1x20xf32>
    %4 = stablehlo.iota dim = 0 : tensor<20x20xi32>
    %5 = stablehlo.iota dim = 1 : tensor<20x20xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [2, 3] : (tensor<20x20xi1>) -> tensor<1x2x20x20xi1>
    %8 = stablehlo.reshape %7 : (tensor<1x2x20x20xi1>) -> tensor<1x1x2x20x20xi1>
    %9 = stablehlo.constant dense<-2.3819763e+38> : tensor<1x1x2x20x20xf32>
    %10 = stablehlo.reshape %3 : (tensor<1x2x20x1x20xf32>) -> tensor<1x1x2x20x20xf32>
    %11 = stablehlo.select %8, %10, %9 : tensor<1x1x2x20x20xi1>, tensor<1x1x2x20x20xf32>
    %12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.reduce(%11 init: %12) applies stablehlo.maximum across dimensions = [4] : (tensor<1x1x2x20x20xf32>, tensor<f32>) -> tensor<1x1x2x20xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x1x2x20xf32>) -> tensor<1x1x2x20x20xf32>
    %15 = stablehlo.subtract %11, %14 : tensor<1x1x2x20x20xf32>
    %16 = stablehlo.exponential %15 : tensor<1x1x2x20x20xf32>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [4] : (tensor<1x1x2x20x20xf32>, tensor<f32>) -> tensor<1x1x2x20xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x1x2x20xf32>) -> tensor<1x1x2x20x1xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<1x1x2x20xf32>) -> tensor<1x1x2x20x20xf32>
    %21 = stablehlo.divide %16, %20 : tensor<1x1x2x20x20xf32>
    %22 = stablehlo.multiply %19, %19 : tensor<1x1x2x20x1xf32>
    %23 = stablehlo.constant dense<1.000000e+00> : tensor<1x1x2x20x1xf32>
    %24 = stablehlo.divide %23, %22 : tensor<1x1x2x20x1xf32>
    %25 = stablehlo.convert %21 : (tensor<1x1x2x20x20xf32>) -> tensor<1x1x2x20x20xbf16>
    %26 = stablehlo.dot_general %arg2, %25, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<1x20x2x8xbf16>, tensor<1x1x2x20x20xbf16>) -> tensor<1x2x8x1x20xbf16>
    %27 = stablehlo.transpose %26, dims = [0, 4, 1, 3, 2] : (tensor<1x2x8x1x20xbf16>) -> tensor<1x20x2x1x8xbf16>
    %28 = stablehlo.reshape %27 : (tensor<1x20x2x1x8xbf16>) -> tensor<1x20x2x8xbf16>
    %29 = stablehlo.reshape %arg3 : (tensor<1x20x2x8xbf16>) -> tensor<1x1x20x2x8xbf16>
    %30 = stablehlo.transpose %29, dims = [1, 3, 4, 0, 2] : (tensor<1x1x20x2x8xbf16>) -> tensor<1x2x8x1x20xbf16>
    %31 = stablehlo.dot_general %30, %arg2, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3] : (tensor<1x2x8x1x20xbf16>, tensor<1x20x2x8xbf16>) -> tensor<1x2x1x20x20xbf16>
    %32 = stablehlo.reshape %31 : (tensor<1x2x1x20x20xbf16>) -> tensor<1x1x2x20x20xbf16>
    %33 = stablehlo.dot_general %30, %25, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3] : (tensor<1x2x8x1x20xbf16>, tensor<1x1x2x20x20xbf16>) -> tensor<1x2x8x20xbf16>
    %34 = stablehlo.transpose %33, dims = [0, 3, 1, 2] : (tensor<1x2x8x20xbf16>) -> tensor<1x20x2x8xbf16>
    %35 = stablehlo.convert %32 : (tensor<1x1x2x20x20xbf16>) -> tensor<1x1x2x20x20xf32>
    %36 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3, 4] : (tensor<1x1x2x20x1xf32>) -> tensor<1x1x2x20x20xf32>
    %37 = stablehlo.multiply %35, %36 : tensor<1x1x2x20x20xf32>
    %38 = stablehlo.multiply %37, %16 : tensor<1x1x2x20x20xf32>
    %39 = stablehlo.reduce(%38 init: %17) applies stablehlo.add across dimensions = [4] : (tensor<1x1x2x20x20xf32>, tensor<f32>) -> tensor<1x1x2x20xf32>
    %40 = stablehlo.reshape %39 : (tensor<1x1x2x20xf32>) -> tensor<1x1x2x20x1xf32>
    %41 = stablehlo.negate %40 : tensor<1x1x2x20x1xf32>
    %42 = stablehlo.divide %35, %20 : tensor<1x1x2x20x20xf32>
    %43 = stablehlo.reshape %41 : (tensor<1x1x2x20x1xf32>) -> tensor<1x1x2x20xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x1x2x20xf32>) -> tensor<1x1x2x20x20xf32>
    %45 = stablehlo.add %42, %44 : tensor<1x1x2x20x20xf32>
    %46 = stablehlo.multiply %45, %16 : tensor<1x1x2x20x20xf32>
    %47 = stablehlo.constant dense<0.000000e+00> : tensor<1x1x2x20x20xf32>
    %48 = stablehlo.select %8, %46, %47 : tensor<1x1x2x20x20xi1>, tensor<1x1x2x20x20xf32>
    %49 = stablehlo.reshape %48 : (tensor<1x1x2x20x20xf32>) -> tensor<1x2x20x1x20xf32>
    %50 = stablehlo.multiply %49, %2 : tensor<1x2x20x1x20xf32>
    %51 = stablehlo.dot_general %50, %0, batching_dims = [0, 1] x [0, 2], contracting_dims = [2, 3] x [1, 3], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x2x20x1x20xf32>, tensor<1x20x2x1x8xbf16>) -> tensor<1x2x20x8xf32>
    %52 = stablehlo.transpose %51, dims = [0, 2, 1, 3] : (tensor<1x2x20x8xf32>) -> tensor<1x20x2x8xf32>
    %53 = stablehlo.convert %52 : (tensor<1x20x2x8xf32>) -> tensor<1x20x2x8xbf16>
    %54 = stablehlo.dot_general %50, %arg1, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x2x20x1x20xf32>, tensor<1x20x2x8xbf16>) -> tensor<1x2x20x1x8xf32>
    %55 = stablehlo.transpose %54, dims = [0, 2, 1, 3, 4] : (tensor<1x2x20x1x8xf32>) -> tensor<1x20x2x1x8xf32>
    %56 = stablehlo.convert %55 : (tensor<1x20x2x1x8xf32>) -> tensor<1x20x2x1x8xbf16>
    %57 = stablehlo.reshape %56 : (tensor<1x20x2x1x8xbf16>) -> tensor<1x20x2x8xbf16>
    return %28, %57, %53, %34 : tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>, tensor<1x20x2x8xbf16>
  }
}
