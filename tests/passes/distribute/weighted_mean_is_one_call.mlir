// A weighted mean of several values, its weights and a mask's count travel together.
// passes: inline raise simplify expand-reductions fuse-maps place simplify distribute
// layout: batch:4
// count: mr.all_reduce_start 1
// input 1: 0 2 0 1 3
module @m attributes {mr.placements = {clients = 5 : i64}} {
  func.func public @main(%d: tensor<5x4xf32>, %w: tensor<5xf32>) -> (tensor<4xf32>, tensor<f32>) {
    %0:2 = "mr.map"(%d) ({
    ^bb0(%a: tensor<4xf32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.sine %a : tensor<4xf32>
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      "mr.return"(%2, %3) : (tensor<4xf32>, tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0, 0>} : (tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5xf32>)
    %1:2 = "mr.reduce_weighted_mean"(%0#0, %0#1, %w) {placement = "clients"} : (tensor<5x4xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<f32>)
    return %1#0, %1#1 : tensor<4xf32>, tensor<f32>
  }
}
