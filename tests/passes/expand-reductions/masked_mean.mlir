// A masked mean is a map that selects, a sum, a count and a quotient; a partition with NaN that the
// mask excludes does not show.
// passes: expand-reductions
// count: mr.reduce_mean 0
// count: mr.reduce_sum 2
// input 0: 1 2 nan nan 5 7
// input 1: 1 0 1
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %mask: tensor<3xi1>) -> (tensor<2xf32>) {
    %0 = "mr.reduce_mean"(%x, %mask) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
