// The rows between the first and the last are written anew, by a slice's indices and by a scatter's: edges of the parts travel.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_to_all 0
// count: mr.mesh_permute 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x6xf32>, tensor<16x6xf32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %u = stablehlo.slice %a [0:14, 1:5] : (tensor<16x6xf32>) -> tensor<14x4xf32>
    %d = stablehlo.slice %a [2:16, 1:5] : (tensor<16x6xf32>) -> tensor<14x4xf32>
    %s = stablehlo.add %u, %d : tensor<14x4xf32>
    %r = stablehlo.dynamic_update_slice %a, %s, %one, %one : (tensor<16x6xf32>, tensor<14x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x6xf32>
    %t = "stablehlo.scatter"(%a, %ones, %s) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>, unique_indices = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<16x6xf32>, tensor<2xi32>, tensor<14x4xf32>) -> tensor<16x6xf32>
    return %r, %t : tensor<16x6xf32>, tensor<16x6xf32>
  }
}
