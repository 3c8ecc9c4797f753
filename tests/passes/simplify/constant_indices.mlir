// Constant starts make slices (clamped as dynamic_slice clamps), also of a gather of one window.
// passes: simplify
module @m {
  func.func public @main(%x: tensor<5x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
    %c9 = stablehlo.constant dense<9> : tensor<i32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %x, %c9, %c0, sizes = [2, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    %c1 = stablehlo.constant dense<2> : tensor<1xi32>
    %1 = "stablehlo.gather"(%x, %c1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<1xi32>) -> tensor<4xf32>
    %2 = stablehlo.dynamic_slice %x, %c9, %c0, sizes = [5, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    return %0, %1, %2 : tensor<2x4xf32>, tensor<4xf32>, tensor<5x4xf32>
  }
}
// expect:
module @m {
  func.func public @main(%x: tensor<5x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
    %0 = stablehlo.slice %x [3:5, 0:4] : (tensor<5x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.slice %x [2:3, 0:4] : (tensor<5x4xf32>) -> tensor<1x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<4xf32>
    return %0, %2, %x : tensor<2x4xf32>, tensor<4xf32>, tensor<5x4xf32>
  }
}
