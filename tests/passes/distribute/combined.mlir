// One all-reduce for each combiner and dtype of a loop; stacked results that are returned stay where
// they are.
// passes: inline raise simplify expand-reductions fuse-maps place simplify distribute
// layout: loop
// count: mr.all_reduce_start 3
// count: mr.all_reduce_done 3
// count: mr.all_gather_start 0
module @m attributes {mr.placements = {clients = 8 : i64}} {
  func.func public @main(%d: tensor<8x4xf32>, %e: tensor<8x4xi32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xi32>, tensor<8x4xf32>) {
    %1:3 = "mr.map"(%d, %e) ({
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.sine %a : tensor<4xf32>
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %4 = stablehlo.negate %b : tensor<4xi32>
      "mr.return"(%2, %3, %4) : (tensor<4xf32>, tensor<f32>, tensor<4xi32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0, 0>} : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8x4xi32>)
    %3 = "mr.reduce_sum"(%1#0) {placement = "clients"} : (tensor<8x4xf32>) -> tensor<4xf32>
    %4 = "mr.reduce_mean"(%1#1) {placement = "clients"} : (tensor<8xf32>) -> tensor<f32>
    %5 = "mr.reduce_max"(%1#0) {placement = "clients"} : (tensor<8x4xf32>) -> tensor<4xf32>
    %6 = "mr.reduce_sum"(%1#2) {placement = "clients"} : (tensor<8x4xi32>) -> tensor<4xi32>
    return %3, %4, %5, %6, %1#0 : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xi32>, tensor<8x4xf32>
  }
}
