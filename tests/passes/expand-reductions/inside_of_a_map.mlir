// Nested placements: a masked mean over clients inside of each host, a weighted one over hosts.
// passes: expand-reductions
// count: mr.reduce_mean 0
// count: mr.reduce_weighted_mean 0
// input 1: 1 0 1 0 0 0
// input 2: 2 0
module @m attributes {mr.placements = {clients = 3 : i64, hosts = 2 : i64}} {
  func.func public @main(%d: tensor<2x3x4xf32>, %mask: tensor<2x3xi1>, %w: tensor<2xf32>) -> (tensor<4xf32>) {
    %0 = "mr.map"(%d, %mask) ({
    ^bb0(%h: tensor<3x4xf32>, %m: tensor<3xi1>):
      %1 = "mr.reduce_mean"(%h, %m) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x4xf32>, tensor<3xi1>) -> tensor<4xf32>
      "mr.return"(%1) : (tensor<4xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<2x3x4xf32>, tensor<2x3xi1>) -> tensor<2x4xf32>
    %2 = "mr.reduce_weighted_mean"(%0, %w) {placement = "hosts"} : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
