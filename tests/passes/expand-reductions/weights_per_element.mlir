// Weights of each element, some of which add up to 0: those elements are kept, the others averaged;
// and the same with a mask and without a value to keep.
// passes: expand-reductions
// count: mr.reduce_weighted_mean 0
// input 1: 1 0 2 0 5 0
// input 3: 1 0 1
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %w: tensor<3x2xf32>, %k: tensor<2xf32>, %mask: tensor<3xi1>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = "mr.reduce_weighted_mean"(%x, %w, %k) {placement = "clients", on_zero_weight = "keep", operand_segments = array<i64: 1, 1, 0, 1>} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %1 = "mr.reduce_weighted_mean"(%x, %w, %mask) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3xi1>) -> tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
