// A map that has less to do, and a branch that is decided, take the place of what they come from: what the processes do
// together is done once.
// passes: simplify
// count: mr.map 1
// count: mr.mesh_all_reduce 2
// count: stablehlo.if 0
module @m attributes {mr.mesh = #sdy.mesh<["x"=2]>, mr.placements = {clients = 3}} {
  func.func public @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
    %0:2 = "mr.map"(%a, %b) ({
    ^bb0(%p: tensor<4xf32>, %unused: tensor<4xf32>):
      %s = "mr.mesh_all_reduce"(%p) {combiner = "sum", groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      "mr.return"(%s, %unused) : (tensor<4xf32>, tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
    %v = "mr.reduce_sum"(%0#0) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %1 = "stablehlo.if"(%true) ({
      %t = "mr.mesh_all_reduce"(%v) {combiner = "max", groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %t : tensor<4xf32>
    }, {
      stablehlo.return %v : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0#0, %1 : tensor<3x4xf32>, tensor<4xf32>
  }
}
