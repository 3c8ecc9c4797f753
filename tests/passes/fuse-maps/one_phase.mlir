// Maps before the same reduction become one, in any order; what only passes between them is inside.
// passes: fuse-maps
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %1 = "mr.map"(%0, %d) ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %2 = stablehlo.multiply %a, %b : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %4 = "mr.map"(%1, %d) ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %2 = stablehlo.subtract %a, %b : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %5 = "mr.reduce_max"(%4) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %3, %5 : tensor<2xf32>, tensor<2xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %1:2 = "mr.map"(%0, %d) ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %2 = stablehlo.multiply %a, %b : tensor<2xf32>
      %3 = stablehlo.subtract %2, %b : tensor<2xf32>
      "mr.return"(%2, %3) : (tensor<2xf32>, tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
    %3 = "mr.reduce_sum"(%1#0) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %5 = "mr.reduce_max"(%1#1) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %3, %5 : tensor<2xf32>, tensor<2xf32>
  }
}
