// Differences over four neighbours on each side: each shard receives the widest of what the slices need once from each side.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<64xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %a, %zero, low = [4], high = [-4], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.pad %a, %zero, low = [2], high = [-2], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.pad %a, %zero, low = [-1], high = [1], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %3 = stablehlo.pad %a, %zero, low = [-3], high = [3], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %4 = stablehlo.subtract %0, %1 : tensor<64xf32>
    %5 = stablehlo.subtract %2, %3 : tensor<64xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<64xf32>
    return %6 : tensor<64xf32>
  }
}
