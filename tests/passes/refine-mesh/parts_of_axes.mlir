// An axis of which parts are named becomes as many axes as that needs; one of which none are keeps its name.
// passes: inline refine-mesh
// remark: none
module @m {
  sdy.mesh @mesh = <["x"=8, "y"=3]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {"y", "x":(1)2}p2]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x":(1)2}, {}], replicated={"x":(2)4}> : tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
// expect:
module @m {
  sdy.mesh @mesh = <["x.0"=2, "x.1"=4, "y"=3]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x.1"}, {"y", "x.0"}p2]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x.0", "x.1"}, {?}], replicated={"y"}>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x.0"}, {}], replicated={"x.1"}> : tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
