// Parts of an axis cut two dimensions of one value; along the major part the product needs no communication.
// passes: inline refine-mesh raise simplify partition simplify
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_to_all 0
module @m {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)4}]>}, %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) {
    %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
