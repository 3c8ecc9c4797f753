// A near miss: a sum that needs another, directly or not, is a call of its own; so is one beyond the bytes of a call.
// passes: start-collectives{combined-bytes=16}
// count: mr.mesh_start 5
module attributes {mr.mesh = #sdy.mesh<["s"=2]>} {
  func.func public @main(%x: tensor<2xf32>, %z: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) {
    %a = "mr.mesh_all_reduce"(%x) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    %b = "mr.mesh_all_reduce"(%a) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    %y = stablehlo.sine %b : tensor<2xf32>
    %c = "mr.mesh_all_reduce"(%y) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    %d = "mr.mesh_all_reduce"(%z) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<4xf32>) -> tensor<4xf32>
    %e = "mr.mesh_all_reduce"(%x) {groups = dense<[[1, 0]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    return %c, %d, %e : tensor<2xf32>, tensor<4xf32>, tensor<2xf32>
  }
}
