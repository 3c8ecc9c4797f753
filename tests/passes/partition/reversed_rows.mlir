// Rows back to front: the shards exchange their parts; where the last part has padding, some come from the next shard.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 3
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<30x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<30x8xf32>) {
    %0 = stablehlo.reverse %a, dims = [0, 1] : tensor<16x8xf32>
    %1 = stablehlo.reverse %b, dims = [0] : tensor<30x8xf32>
    return %0, %1 : tensor<16x8xf32>, tensor<30x8xf32>
  }
}
