// Whole axes of one mesh are left as they are.
// passes: inline refine-mesh
// remark: none
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}p1]>}) -> tensor<8x4xf32> {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}], replicated={"y"}> : tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
// expect:
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}p1]>}) -> tensor<8x4xf32> {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}], replicated={"y"}> : tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
