// Axes that are not manual cut what the region does; pieces along those that are need no communication where
// they are pieces already.
// passes: inline expand-manual raise simplify partition simplify
// count: mr.mesh_slice 0
// count: mr.mesh_join 0
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 1
// count: mr.mesh_all_reduce 1
module @m {
  sdy.mesh @mesh = <["data"=2, "model"=2]>
  func.func public @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, %w: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %0 = sdy.manual_computation(%a, %w) in_shardings=[<@mesh, [{"data"}, {"model"}]>, <@mesh, [{"model"}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data"} (%p: tensor<2x6xf32>, %q: tensor<6x4xf32>) {
      %m = "stablehlo.collective_permute"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<2x6xf32>) -> tensor<2x6xf32>
      %y = stablehlo.dot_general %m, %q, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
      sdy.return %y : tensor<2x4xf32>
    } : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
