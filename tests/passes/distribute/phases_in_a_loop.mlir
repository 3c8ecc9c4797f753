// Rounds of two phases in a loop, side by side with a second placement: collectives stay in order
// inside of the loop.
// passes: inline raise simplify-loops simplify expand-reductions fuse-maps place simplify distribute
// layout: loop
// count: mr.all_reduce_start 2
module @m attributes {mr.placements = {clients = 3 : i64, servers = 2 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %d: tensor<3x4xf32>, %e: tensor<2x4xf32>) -> (tensor<4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %b = "mr.broadcast"(%a) {placement = "clients"} : (tensor<4xf32>) -> tensor<3x4xf32>
      %0 = "mr.map"(%d, %b) ({
      ^bb0(%u: tensor<4xf32>, %v: tensor<4xf32>):
        %2 = stablehlo.multiply %u, %v : tensor<4xf32>
        "mr.return"(%2) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      %1 = "mr.reduce_mean"(%0) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
      %f = "mr.broadcast"(%1) {placement = "servers"} : (tensor<4xf32>) -> tensor<2x4xf32>
      %3 = "mr.map"(%e, %f) ({
      ^bb0(%u: tensor<4xf32>, %v: tensor<4xf32>):
        %2 = stablehlo.add %u, %v : tensor<4xf32>
        "mr.return"(%2) : (tensor<4xf32>) -> ()
      }) {placement = "servers", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %4 = "mr.reduce_sum"(%3) {placement = "servers"} : (tensor<2x4xf32>) -> tensor<4xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %c_1 : tensor<i32>
      stablehlo.return %10, %4 : tensor<i32>, tensor<4xf32>
    }
    return %7#1 : tensor<4xf32>
  }
}
