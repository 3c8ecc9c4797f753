// Two values share one weight; a weight of 0 silences an infinity.
// passes: expand-reductions
// count: mr.reduce_weighted_mean 0
// count: mr.reduce_sum 3
// input 0: 1 10 2 20 4 40
// input 1: inf 1 2
// input 2: 0 2 5
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %y: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %0:2 = "mr.reduce_weighted_mean"(%x, %y, %w) {placement = "clients"} : (tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<f32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<f32>
  }
}
