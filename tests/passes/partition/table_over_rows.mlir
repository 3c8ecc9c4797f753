// Rows of a table over an axis: each shard looks up the rows that it has, and adds what comes back to them.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_gather 0
// input 1: 0 15 3 3 99
module @m {
  sdy.mesh @mesh = <["model"=4]>
  func.func public @main(%t: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %i: tensor<5xi32>, %u: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
    %n = stablehlo.reshape %i : (tensor<5xi32>) -> tensor<5x1xi32>
    %r = "stablehlo.gather"(%t, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<16x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
    %s = "stablehlo.scatter"(%t, %n, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<16x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<16x4xf32>
    return %r, %s : tensor<5x4xf32>, tensor<16x4xf32>
  }
}
