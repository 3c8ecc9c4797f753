// Two axes in one batch dimension of a contraction, a choice by select, an index along the data.
// passes: inline raise simplify-loops simplify
// placement: clients=5
// count: mr.map 1
// count: mr.reduce_sum 1
module @m {
  func.func public @main(%w: tensor<3x4xf32>, %d: tensor<5x2x3xf32>, %at: tensor<5x2xi32>) -> tensor<2xf32> {
    %0 = stablehlo.dot_general %d, %w, contracting_dims = [2] x [0] : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<5x2x4xf32>
    %p = stablehlo.compare GT, %0, %z : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xi1>
    %s = stablehlo.sine %0 : tensor<5x2x4xf32>
    %1 = stablehlo.select %p, %s, %0 : tensor<5x2x4xi1>, tensor<5x2x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<5x2x4xf32>) -> tensor<10x4xf32>
    %k = stablehlo.reshape %at : (tensor<5x2xi32>) -> tensor<10x1xi32>
    %3 = "stablehlo.gather"(%2, %k) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<10x4xf32>, tensor<10x1xi32>) -> tensor<10xf32>
    %4 = stablehlo.reshape %3 : (tensor<10xf32>) -> tensor<5x2xf32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
