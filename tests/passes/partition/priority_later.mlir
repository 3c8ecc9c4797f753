// What has an earlier priority is followed first: the sum lies as its second operand, and the first one moves.
// passes: inline partition simplify
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {}]>}, %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4x4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
// expect:
module @m attributes {mr.mesh = #sdy.mesh<["x"=2]>} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<2x4xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x2xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<4x2xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x4xf32>) -> tensor<2x1x2x2xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1, 3] : (tensor<2x1x2x2xf32>) -> tensor<2x2x1x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x2x1x2xf32>) -> tensor<2x2x2xf32>
    %3 = "mr.mesh_all_to_all"(%2) {groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x2x2xf32>) -> tensor<4x2xf32>
    %5 = stablehlo.add %4, %arg1 : tensor<4x2xf32>
    return %5 : tensor<4x2xf32>
  }
}
