// A near miss: with a mask that may exclude all partitions, the mean of a broadcast is not its value.
// passes: simplify
// count: mr.reduce_mean 1
// count: mr.reduce_weighted_mean 1
// input 1: 0 0 0
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %mask: tensor<3xi1>, %w: tensor<3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<3x4xf32>
    %1 = "mr.reduce_mean"(%0, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x4xf32>, tensor<3xi1>) -> tensor<4xf32>
    %2 = "mr.reduce_weighted_mean"(%0, %w) {placement = "clients"} : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<4xf32>
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}
