// Rows at places that run time tells: one is read as a sum over the shards, one is written by the shard that has it, and
// most of the rows from one on move by steps of doubling length (3 of 8 shards, 1 beside).  Nothing is gathered.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_reduce 1
// count: mr.mesh_reduce_scatter 0
// count: mr.mesh_all_to_all 0
module @m {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>, %row: tensor<1x128xf32>) -> (tensor<1x128xf32>, tensor<64x128xf32>, tensor<60x128xf32>) {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [1, 128] : (tensor<64x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %1 = stablehlo.dynamic_update_slice %a, %row, %i, %z : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
    %2 = stablehlo.dynamic_slice %1, %i, %z, sizes = [60, 128] : (tensor<64x128xf32>, tensor<i32>, tensor<i32>) -> tensor<60x128xf32>
    return %0, %1, %2 : tensor<1x128xf32>, tensor<64x128xf32>, tensor<60x128xf32>
  }
}
