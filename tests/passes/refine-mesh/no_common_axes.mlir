// 2 times 3 devices and 3 times 2: no mesh has the axes of both.
// passes: inline refine-mesh partition
// remark: no one mesh has the axes along which its values are cut
// count: mr.mesh_all_gather 0
module @m {
  sdy.mesh @a = <["x"=2, "y"=3]>
  sdy.mesh @b = <["u"=3, "v"=2]>
  func.func public @main(%a: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}) -> (tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@b, [{"u"}, {"v"}]>}) {
    return %a : tensor<6x6xf32>
  }
}
