// A mesh whose devices stand in the order of another one's axes exchanged: both have the same axes.
// passes: inline refine-mesh
// remark: none
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @across = <["y"=4, "x"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@across, [{"y"}, {"x"}]>}) {
    return %a : tensor<8x8xf32>
  }
}
// expect:
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    return %a : tensor<8x8xf32>
  }
}
