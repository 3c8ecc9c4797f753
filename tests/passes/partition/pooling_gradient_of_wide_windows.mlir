// Near miss: windows that reach out of the array on both sides are of no shard: rows and values go along the columns.
// passes: inline raise simplify partition{call-bytes=0} simplify
// count: mr.mesh_permute 0
// count: mr.mesh_all_to_all 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %t: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x64xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.select_and_scatter"(%a, %t, %zero) <{window_dimensions = array<i64: 13, 1>, padding = dense<[[6, 6], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %p : tensor<f32>
    }) : (tensor<8x64xf32>, tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
    return %1 : tensor<8x64xf32>
  }
}
