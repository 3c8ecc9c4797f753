// Of the largest elements along a dimension that is cut, those of each part travel with their places.  Padding is not among
// them, though all of a shard's is.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 2
// count: chlo.top_k 2
module @m {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<3x201xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3x4xf32>, tensor<3x4xi32>) {
    %0:2 = chlo.top_k(%a, k = 4) : tensor<3x201xf32> -> (tensor<3x4xf32>, tensor<3x4xi32>)
    return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xi32>
  }
}
