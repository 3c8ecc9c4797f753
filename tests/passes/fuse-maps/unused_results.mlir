// Results that nothing uses go, with the operands that only they need.
// passes: fuse-maps
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%d: tensor<3x2xf32>, %e: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %1:2 = "mr.map"(%e, %d) ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %2 = stablehlo.exponential %b : tensor<2xf32>
      %3 = stablehlo.sine %a : tensor<2xf32>
      "mr.return"(%3, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
    %3 = "mr.reduce_sum"(%1#1) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%d: tensor<3x2xf32>, %e: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %1 = "mr.map"(%d) ({
    ^bb0(%b: tensor<2xf32>):
      %2 = stablehlo.exponential %b : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
