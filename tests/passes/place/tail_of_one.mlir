// Blocks of 3 over 7: the last one has one partition, whose neighbours do not count.
// passes: place
// layout: batch:3
// count: mr.foreach 1
// count: mr.map 0
// count: mr.broadcast 0
module @m attributes {mr.placements = {clients = 7 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %d: tensor<7x5x4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<7xf32>, tensor<4xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<7x4xf32>
    %1 = "mr.broadcast"(%s) {placement = "clients"} : (tensor<f32>) -> tensor<7xf32>
    %2:3 = "mr.map"(%0, %d, %1) ({
    ^bb0(%a: tensor<4xf32>, %b: tensor<5x4xf32>, %t: tensor<f32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %i = "mr.partition_index"() {placement = "clients"} : () -> tensor<i32>
      %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
      %3:3 = stablehlo.while(%k = %c, %u = %a, %v = %a) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      cond {
        %n = stablehlo.constant dense<5> : tensor<i32>
        %4 = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %4 : tensor<i1>
      } do {
        %4 = stablehlo.dynamic_slice %b, %k, %c, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
        %5 = stablehlo.reshape %4 : (tensor<1x4xf32>) -> tensor<4xf32>
        %6 = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %7 = stablehlo.multiply %5, %6 : tensor<4xf32>
        %8 = stablehlo.subtract %u, %7 : tensor<4xf32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %9 = stablehlo.add %k, %one : tensor<i32>
        stablehlo.return %9, %v, %8 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      }
      %10 = stablehlo.reduce(%3#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %11 = stablehlo.add %10, %f : tensor<f32>
      "mr.return"(%3#2, %11, %3#1) : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0, 0>} : (tensor<7x4xf32>, tensor<7x5x4xf32>, tensor<7xf32>) -> (tensor<7x4xf32>, tensor<7xf32>, tensor<7x4xf32>)
    %3 = "mr.reduce_sum"(%2#0) {placement = "clients"} : (tensor<7x4xf32>) -> tensor<4xf32>
    %4 = "mr.reduce_max"(%2#2) {placement = "clients"} : (tensor<7x4xf32>) -> tensor<4xf32>
    return %3, %2#1, %4 : tensor<4xf32>, tensor<7xf32>, tensor<4xf32>
  }
}
