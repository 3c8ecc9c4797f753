// Three slices, each of a third of what four shards have: one gather brings what they need together; one slice alone takes
// what it lacks.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 1
// count: mr.mesh_permute 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<2x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<2x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %q = stablehlo.slice %a [0:2, 0:16] : (tensor<2x48xf32>) -> tensor<2x16xf32>
    %k = stablehlo.slice %a [0:2, 16:32] : (tensor<2x48xf32>) -> tensor<2x16xf32>
    %v = stablehlo.slice %a [0:2, 32:48] : (tensor<2x48xf32>) -> tensor<2x16xf32>
    %w = stablehlo.slice %b [0:2, 32:48] : (tensor<2x48xf32>) -> tensor<2x16xf32>
    return %q, %k, %v, %w : tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>
  }
}
