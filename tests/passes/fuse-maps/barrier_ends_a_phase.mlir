// What comes behind a barrier is a map of its own, so that the sum before it travels meanwhile.
// passes: inline raise simplify expand-reductions fuse-maps
// count: mr.map 3
module @m attributes {mr.placements = {clients = 3}} {
  func.func public @main(%x: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
    %d = "mr.map"(%x) ({
    ^bb0(%v: tensor<2xf32>):
      %n = stablehlo.negate %v : tensor<2xf32>
      "mr.return"(%n) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %s = "mr.reduce_sum"(%d) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %b:2 = stablehlo.optimization_barrier %d, %x : tensor<3x2xf32>, tensor<3x2xf32>
    %y = "mr.map"(%b#1) ({
    ^bb0(%v: tensor<2xf32>):
      %n = stablehlo.cosine %v : tensor<2xf32>
      "mr.return"(%n) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %s, %y : tensor<2xf32>, tensor<3x2xf32>
  }
}
