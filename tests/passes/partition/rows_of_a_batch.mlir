// The gradient of a table by tokens that are cut over the axis, and counts of them: each shard adds up its own; the sums
// of the table's gradient and of another term of it are combined at once.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_reduce 2
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_to_all 0
module @m {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%i: tensor<30xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}, %u: tensor<30x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %h: tensor<30x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %c0: tensor<8xi32>) -> (tensor<8x64xf32>, tensor<8xi32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<8x64xf32>
    %one = stablehlo.constant dense<1> : tensor<30xi32>
    %n = stablehlo.reshape %i : (tensor<30xi32>) -> tensor<30x1xi32>
    %s = "stablehlo.scatter"(%zero, %n, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<8x64xf32>, tensor<30x1xi32>, tensor<30x64xf32>) -> tensor<8x64xf32>
    %t = stablehlo.dot_general %h, %u, contracting_dims = [0] x [0] : (tensor<30x8xf32>, tensor<30x64xf32>) -> tensor<8x64xf32>
    %g = stablehlo.add %s, %t : tensor<8x64xf32>
    %k = "stablehlo.scatter"(%c0, %n, %one) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) : (tensor<8xi32>, tensor<30x1xi32>, tensor<30xi32>) -> tensor<8xi32>
    return %g, %k : tensor<8x64xf32>, tensor<8xi32>
  }
}
