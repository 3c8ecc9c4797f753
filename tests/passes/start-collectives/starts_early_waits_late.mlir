// The point: a collective starts where its operand is there and is waited for before the first use; what does not need
// it goes on between.
// passes: start-collectives
module attributes {mr.mesh = #sdy.mesh<["s"=2]>} {
  func.func public @main(%x: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %a = stablehlo.exponential %x : tensor<2xf32>
    %g = "mr.mesh_all_gather"(%x) {groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2x2xf32>
    %b = stablehlo.sine %a : tensor<2xf32>
    %c = stablehlo.negate %g : tensor<2x2xf32>
    return %c, %b : tensor<2x2xf32>, tensor<2xf32>
  }
}
// expect:
module attributes {mr.mesh = #sdy.mesh<["s"=2]>} {
  func.func public @main(%x: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %t = "mr.mesh_start"(%x) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, kind = "all_gather"} : (tensor<2xf32>) -> !mr.token
    %a = stablehlo.exponential %x : tensor<2xf32>
    %b = stablehlo.sine %a : tensor<2xf32>
    %g = "mr.mesh_done"(%t) : (!mr.token) -> tensor<2x2xf32>
    %c = stablehlo.negate %g : tensor<2x2xf32>
    return %c, %b : tensor<2x2xf32>, tensor<2xf32>
  }
}
