// Sums over one list of groups and of one dtype are one call where none is used before the operands of all are there;
// another dtype, other groups and another combiner are others.
// passes: start-collectives
// count: mr.mesh_start 4
// count: mr.mesh_done 4
module attributes {mr.mesh = #sdy.mesh<["s"=2]>} {
  func.func public @main(%x: tensor<2xf32>, %i: tensor<3xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xf32>) {
    %a = "mr.mesh_all_reduce"(%x) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    %y = stablehlo.sine %x : tensor<2xf32>
    %b = "mr.mesh_all_reduce"(%y) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    %c = "mr.mesh_all_reduce"(%i) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<3xi32>) -> tensor<3xi32>
    %d = "mr.mesh_all_reduce"(%y) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "max"} : (tensor<2xf32>) -> tensor<2xf32>
    %e = "mr.mesh_all_reduce"(%y) {groups = dense<[[0], [1]]> : tensor<2x1xi64>, combiner = "sum"} : (tensor<2xf32>) -> tensor<2xf32>
    return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xf32>
  }
}
