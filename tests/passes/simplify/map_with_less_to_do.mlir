// Results that are operands or the same for all leave the map; constants move in; what nothing uses
// is dropped, equal results and operands become one, and shared work is done once outside.
// passes: simplify
module @m attributes {mr.placements = {clients = 6 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %d: tensor<6x4xf32>, %unused: tensor<6x2xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<6x4xf32>
    %two = stablehlo.constant dense<2.0> : tensor<6x4xf32>
    %1:6 = "mr.map"(%0, %d, %two, %unused, %d) ({
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %u: tensor<2xf32>, %e: tensor<4xf32>):
      %2 = stablehlo.exponential %a : tensor<4xf32>
      %3 = stablehlo.multiply %2, %b : tensor<4xf32>
      %4 = stablehlo.add %3, %c : tensor<4xf32>
      %5 = stablehlo.add %4, %e : tensor<4xf32>
      %6 = stablehlo.sine %u : tensor<2xf32>
      "mr.return"(%b, %2, %5, %5, %6, %a) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0>} : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>, tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>, tensor<6x4xf32>)
    %7 = "mr.reduce_mean"(%1#1) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<4xf32>
    return %1#0, %7, %1#2, %1#3 : tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 6 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %d: tensor<6x4xf32>, %unused: tensor<6x2xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
    %e = stablehlo.exponential %x : tensor<4xf32>
    %0 = "mr.broadcast"(%e) {placement = "clients"} : (tensor<4xf32>) -> tensor<6x4xf32>
    %1 = "mr.map"(%d, %0) ({
    ^bb0(%b: tensor<4xf32>, %2: tensor<4xf32>):
      %c = stablehlo.constant dense<2.0> : tensor<4xf32>
      %3 = stablehlo.multiply %2, %b : tensor<4xf32>
      %4 = stablehlo.add %3, %c : tensor<4xf32>
      %5 = stablehlo.add %4, %b : tensor<4xf32>
      "mr.return"(%5) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    return %d, %e, %1, %1 : tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
  }
}
