// Of two places of one priority the first one that reaches a value is taken: the sum lies as its first operand.
// passes: inline partition simplify
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4x4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
// expect:
module @m attributes {mr.mesh = #sdy.mesh<["x"=2]>} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<2x4xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x2xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<2x4xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.reshape %arg1 : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
    %1 = "mr.mesh_all_to_all"(%0) {groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x2x2xf32>) -> tensor<2x2x1x2xf32>
    %3 = stablehlo.transpose %2, dims = [1, 2, 0, 3] : (tensor<2x2x1x2xf32>) -> tensor<2x1x2x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x1x2x2xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<2x4xf32>
    return %5 : tensor<2x4xf32>
  }
}
