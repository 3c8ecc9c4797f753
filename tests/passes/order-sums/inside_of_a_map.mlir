// Nested placements: sums inside of a map are on one shard in any case; those in a loop are taken in order.
// passes: order-sums{always=yes}
// count: mr.reduce_sum 1
// count: stablehlo.reduce 1
module @m attributes {mr.placements = {clients = 3 : i64, hosts = 2 : i64}} {
  func.func public @main(%d: tensor<2x3x4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %0:2 = stablehlo.while(%k = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %all = "mr.broadcast"(%y) {placement = "hosts"} : (tensor<4xf32>) -> tensor<2x4xf32>
      %1 = "mr.map"(%d, %all) ({
      ^bb0(%h: tensor<3x4xf32>, %own: tensor<4xf32>):
        %2 = "mr.reduce_sum"(%h) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
        %3 = stablehlo.add %2, %own : tensor<4xf32>
        "mr.return"(%3) : (tensor<4xf32>) -> ()
      }) {placement = "hosts", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<2x3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %4 = "mr.reduce_sum"(%1) {placement = "hosts"} : (tensor<2x4xf32>) -> tensor<4xf32>
      %5 = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
