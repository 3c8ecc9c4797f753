// Meshes of the same devices in the same order: axes that are whole ones of a mesh have their names, others are parts
// of the first mesh's.
// passes: inline refine-mesh
// remark: none
module @m {
  sdy.mesh @unused = <["u"=5]>
  sdy.mesh @first = <["a"=4, "b"=2]>
  sdy.mesh @one = <[], device_ids=[0]>
  sdy.mesh @second = <["c"=2, "b"=4]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@first, [{"a"}, {"b"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@second, [{"b"}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, [{}, {}]>}) {
    %0 = sdy.sharding_constraint %b <mesh<["all"=8]>, [{"all"}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.add %a, %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// expect:
module @m {
  sdy.mesh @first = <["c"=2, "a.1"=2, "b"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@first, [{"c", "a.1"}, {"b"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@first, [{"a.1", "b"}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@first, [{}, {}]>}) {
    %0 = sdy.sharding_constraint %b <@first, [{"c", "a.1", "b"}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.add %a, %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
