// An array is taken in parts along its first dimension by one node and along its last by another: elements of others either
// way, which are not the same.
// passes: inline raise simplify partition simplify
// count: mr.mesh_permute 2
// count: mr.mesh_all_to_all 1
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x22xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.pad %a, %zero, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %c = stablehlo.pad %a, %zero, low = [0, -1], high = [0, 1], interior = [0, 2] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x22xf32>
    return %r, %c : tensor<8x8xf32>, tensor<8x22xf32>
  }
}
