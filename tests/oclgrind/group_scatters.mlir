// Scatters whose updates are sorted by where they go: rows of an array, and single elements in batches; integers that are
// combined at once.
func.func @main(%x: tensor<20x12xf32>, %i: tensor<200x1xi32>, %u: tensor<200x12xf32>, %y: tensor<3x50xi32>, %j: tensor<3x70x1xi32>, %v: tensor<3x70xi32>, %z: tensor<3x50xf32>, %w: tensor<3x70xf32>) -> (tensor<20x12xf32>, tensor<3x50xi32>, tensor<3x50xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<20x12xf32>, tensor<200x1xi32>, tensor<200x12xf32>) -> tensor<20x12xf32>
  %1 = "stablehlo.scatter"(%y, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3x50xi32>, tensor<3x70x1xi32>, tensor<3x70xi32>) -> tensor<3x50xi32>
  %2 = "stablehlo.scatter"(%z, %j, %w) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x50xf32>, tensor<3x70x1xi32>, tensor<3x70xf32>) -> tensor<3x50xf32>
  return %0, %1, %2 : tensor<20x12xf32>, tensor<3x50xi32>, tensor<3x50xf32>
}
