// Each window sees nearly all rows: to gather them once costs no more than as many messages.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 1
// count: mr.mesh_permute 0
module @m {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2x3xf32> {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %p = "stablehlo.reduce_window"(%a, %low) <{window_dimensions = array<i64: 15, 1>}> ({
    ^bb0(%x: tensor<f32>, %z: tensor<f32>):
      %m = stablehlo.maximum %x, %z : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<16x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %p : tensor<2x3xf32>
  }
}
