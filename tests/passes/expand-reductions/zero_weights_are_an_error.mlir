// on_zero_weight = error becomes a check that runs.
// passes: expand-reductions
// count: mr.check 1
// input 1: 0
// run-refused: mr.reduce_weighted_mean
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %w: tensor<3xf32>) -> (tensor<2xf32>) {
    %0 = "mr.reduce_weighted_mean"(%x, %w) {placement = "clients", on_zero_weight = "error"} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
