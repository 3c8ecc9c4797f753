// Values that are reduced together lie over the mesh each in its own way; what happens within the map happens once.
// passes: inline raise simplify partition simplify
// count: mr.map 1
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_to_all 0
// count: mr.reduce_mean 2
module @m attributes {mr.placements = {clients = 3}} {
  sdy.mesh @mesh = <["model"=2]>
  func.func public @main(%u: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %d: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %x: tensor<3x2x4xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
    %bu = "mr.broadcast"(%u) {placement = "clients"} : (tensor<4x6xf32>) -> tensor<3x4x6xf32>
    %bd = "mr.broadcast"(%d) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<3x6x4xf32>
    %0:2 = "mr.map"(%bu, %bd, %x) ({
    ^bb0(%up: tensor<4x6xf32>, %down: tensor<6x4xf32>, %b: tensor<2x4xf32>):
      %h = stablehlo.dot_general %b, %up, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
      %o = stablehlo.dot_general %h, %down, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
      %gd = stablehlo.dot_general %h, %o, contracting_dims = [0] x [0] : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<6x4xf32>
      %gh = stablehlo.dot_general %o, %down, contracting_dims = [1] x [1] : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
      %gu = stablehlo.dot_general %b, %gh, contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
      "mr.return"(%gu, %gd) : (tensor<4x6xf32>, tensor<6x4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x4x6xf32>, tensor<3x6x4xf32>, tensor<3x2x4xf32>) -> (tensor<3x4x6xf32>, tensor<3x6x4xf32>)
    %1:2 = "mr.reduce_mean"(%0#0, %0#1) {placement = "clients"} : (tensor<3x4x6xf32>, tensor<3x6x4xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>)
    return %1#0, %1#1 : tensor<4x6xf32>, tensor<6x4xf32>
  }
}
