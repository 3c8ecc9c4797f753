// Where rows are written that an index decides, or that lie partly outside, every shard takes them whole.
// passes: inline raise simplify partition simplify
// count: mr.mesh_permute 0
// input 2: 3
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<14x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<16x6xf32>, tensor<16x6xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %far = stablehlo.constant dense<[9, 0]> : tensor<2xi32>
    %r = stablehlo.dynamic_update_slice %a, %u, %i, %zero : (tensor<16x6xf32>, tensor<14x6xf32>, tensor<i32>, tensor<i32>) -> tensor<16x6xf32>
    %t = "stablehlo.scatter"(%a, %far, %u) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>, unique_indices = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) : (tensor<16x6xf32>, tensor<2xi32>, tensor<14x6xf32>) -> tensor<16x6xf32>
    return %r, %t : tensor<16x6xf32>, tensor<16x6xf32>
  }
}
