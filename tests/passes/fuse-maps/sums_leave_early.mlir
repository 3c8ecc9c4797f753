// A large sum that needs nothing of what is expensive has a map of its own before it, so that it travels meanwhile.
// passes: fuse-maps
// count: mr.map 2
module @m attributes {mr.placements = {clients = 2 : i64}} {
  func.func public @main(%d: tensor<2x16384xf32>, %x: tensor<2x96x96xf32>) -> (tensor<16384xf32>, tensor<2x96x96xf32>) {
    %0 = "mr.map"(%x) ({
    ^bb0(%v: tensor<96x96xf32>):
      %1 = stablehlo.dot_general %v, %v, contracting_dims = [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
      "mr.return"(%1) : (tensor<96x96xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x96x96xf32>) -> tensor<2x96x96xf32>
    %2 = "mr.map"(%d) ({
    ^bb0(%v: tensor<16384xf32>):
      %3 = stablehlo.negate %v : tensor<16384xf32>
      "mr.return"(%3) : (tensor<16384xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x16384xf32>) -> tensor<2x16384xf32>
    %4 = "mr.reduce_sum"(%2) {placement = "clients"} : (tensor<2x16384xf32>) -> tensor<16384xf32>
    return %4, %0 : tensor<16384xf32>, tensor<2x96x96xf32>
  }
}
