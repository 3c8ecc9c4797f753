// A placement beside a mesh: each client's model is cut along "model" inside of the map; the mean over
// clients moves nothing along it.
// passes: inline raise simplify partition simplify
// count: mr.map 1
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_gather 0
module @m attributes {mr.placements = {clients = 4 : i64}} {
  sdy.mesh @mesh = <["model"=2]>
  func.func public @main(%w: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %v: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %x: tensor<4x5x6xf32>) -> (tensor<5x3xf32>, tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) {
    %b = "mr.broadcast"(%w) {placement = "clients"} : (tensor<6x8xf32>) -> tensor<4x6x8xf32>
    %c = "mr.broadcast"(%v) {placement = "clients"} : (tensor<8x3xf32>) -> tensor<4x8x3xf32>
    %1:2 = "mr.map"(%b, %c, %x) ({
    ^bb0(%p: tensor<6x8xf32>, %q: tensor<8x3xf32>, %d: tensor<5x6xf32>):
      %h = stablehlo.dot_general %d, %p, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
      %t = stablehlo.tanh %h : tensor<5x8xf32>
      %y = stablehlo.dot_general %t, %q, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
      %g = stablehlo.dot_general %d, %t, contracting_dims = [0] x [0] : (tensor<5x6xf32>, tensor<5x8xf32>) -> tensor<6x8xf32>
      "mr.return"(%y, %g) : (tensor<5x3xf32>, tensor<6x8xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<4x6x8xf32>, tensor<4x8x3xf32>, tensor<4x5x6xf32>) -> (tensor<4x5x3xf32>, tensor<4x6x8xf32>)
    %3 = "mr.reduce_mean"(%1#0) {placement = "clients"} : (tensor<4x5x3xf32>) -> tensor<5x3xf32>
    %4 = "mr.reduce_mean"(%1#1) {placement = "clients"} : (tensor<4x6x8xf32>) -> tensor<6x8xf32>
    return %3, %4 : tensor<5x3xf32>, tensor<6x8xf32>
  }
}
