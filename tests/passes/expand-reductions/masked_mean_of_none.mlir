// All partitions excluded: NaN, or the value to keep, also for extrema.
// passes: expand-reductions
// count: mr.reduce_mean 0
// count: mr.reduce_max 1
// count: mr.reduce_min 1
// input 1: 0
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %mask: tensor<3xi1>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "mr.reduce_mean"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    %1 = "mr.reduce_mean"(%x, %mask, %k) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<3x2xf32>, tensor<3xi1>, tensor<2xf32>) -> tensor<2xf32>
    %2 = "mr.reduce_max"(%x, %mask, %k) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 0, 1, 1>} : (tensor<3x2xf32>, tensor<3xi1>, tensor<2xf32>) -> tensor<2xf32>
    %3 = "mr.reduce_min"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    %4 = "mr.reduce_sum"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
