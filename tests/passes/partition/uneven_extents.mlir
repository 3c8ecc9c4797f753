// Extents that the axis does not divide: the last part is padded, and sums leave the padding out.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_reduce 2
// count: mr.mesh_all_gather 0
module @m {
  sdy.mesh @mesh = <["x"=3]>
  func.func public @main(%a: tensor<7x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<2xf32>, tensor<2xf32>, tensor<7x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7x2xf32>, tensor<f32>) -> tensor<2xf32>
    %m = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<7x2xf32>, tensor<f32>) -> tensor<2xf32>
    %e = stablehlo.exponential %a : tensor<7x2xf32>
    return %s, %m, %e : tensor<2xf32>, tensor<2xf32>, tensor<7x2xf32>
  }
}
