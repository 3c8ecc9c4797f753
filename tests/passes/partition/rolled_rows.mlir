// Rows rolled by one, and differences of neighbours: one element of each neighbour, and the last to the first.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 3
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x3xf32>, tensor<15x3xf32>) {
    %last = stablehlo.slice %a [15:16, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
    %most = stablehlo.slice %a [0:15, 0:3] : (tensor<16x3xf32>) -> tensor<15x3xf32>
    %rolled = stablehlo.concatenate %last, %most, dim = 0 : (tensor<1x3xf32>, tensor<15x3xf32>) -> tensor<16x3xf32>
    %next = stablehlo.slice %a [1:16, 0:3] : (tensor<16x3xf32>) -> tensor<15x3xf32>
    %d = stablehlo.subtract %next, %most : tensor<15x3xf32>
    return %rolled, %d : tensor<16x3xf32>, tensor<15x3xf32>
  }
}
