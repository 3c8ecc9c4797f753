// A mesh of fewer devices is not the same mesh.
// passes: inline refine-mesh
// remark: no one mesh has the axes along which its values are cut
module @m {
  sdy.mesh @a = <["x"=4]>
  sdy.mesh @b = <["u"=2]>
  func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@b, [{"u"}, {}]>}) {
    return %a : tensor<4x4xf32>
  }
}
