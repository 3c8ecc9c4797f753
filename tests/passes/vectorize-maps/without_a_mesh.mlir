// Masks, weights and the numbers of partitions are values like others.
// passes: inline raise simplify expand-reductions vectorize-maps simplify
// count: mr.map 0
// count: mr.broadcast 0
// count: mr.partition_index 0
// count: mr.reduce_sum 0
// count: mr.reduce_max 0
module @m attributes {mr.placements = {clients = 3}} {
  func.func public @main(%x: tensor<3x4xf32>, %w: tensor<3xf32>, %m: tensor<3xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3xi32>) {
    %0 = "mr.reduce_weighted_mean"(%x, %w) {placement = "clients"} : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<4xf32>
    %1 = "mr.reduce_max"(%x, %m) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x4xf32>, tensor<3xi1>) -> tensor<4xf32>
    %2 = "mr.map"(%x) ({
    ^bb0(%p: tensor<4xf32>):
      %i = "mr.partition_index"() {placement = "clients"} : () -> tensor<i32>
      "mr.return"(%i) : (tensor<i32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>) -> tensor<3xi32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<3xi32>
  }
}
