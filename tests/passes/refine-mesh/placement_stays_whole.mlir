// The placement of a map is one axis: a part of it is not made an axis of its own.
// passes: inline refine-mesh
// placement: clients=4
// remark: no one mesh has the axes along which its values are cut
// count: mr.map 1
module @m attributes {mr.placements = {clients = 4 : i64}} {
  sdy.mesh @mesh = <["clients"=4, "x"=4]>
  func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"clients":(1)2}, {"x"}]>}) -> tensor<4x4xf32> {
    %0 = "mr.map"(%a) ({
    ^bb0(%p: tensor<4xf32>):
      %1 = stablehlo.add %p, %p : tensor<4xf32>
      "mr.return"(%1) : (tensor<4xf32>) -> ()
    }) {placement = "clients"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
