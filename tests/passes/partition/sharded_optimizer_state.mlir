// Data over an axis and the optimiser's state cut along it too: gradients are summed into parts, and only
// the step travels back.
// passes: inline raise simplify partition simplify
// count: mr.mesh_reduce_scatter 1
// count: mr.mesh_all_gather 1
// count: mr.mesh_all_reduce 0
module @m {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %m: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %t = stablehlo.tanh %y : tensor<16x4xf32>
    %g = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %c = stablehlo.constant dense<0.9> : tensor<8x4xf32>
    %a = stablehlo.multiply %c, %m : tensor<8x4xf32>
    %n = stablehlo.add %a, %g : tensor<8x4xf32>
    %v = stablehlo.subtract %w, %n : tensor<8x4xf32>
    return %v, %n : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
