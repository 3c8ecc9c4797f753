// What is said of an op's result: the sum lies there, and so do its operands.
// passes: inline partition simplify
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
// expect:
module @m attributes {mr.mesh = #sdy.mesh<["x"=2]>} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x2xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x2xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<4x2xf32> {mr.global_type = tensor<4x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
