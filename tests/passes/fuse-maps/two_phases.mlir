// A near miss: a map that needs a reduction of another one is a second phase; a value that both need
// is stored.
// passes: fuse-maps
// count: mr.map 2
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%d: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %1 = "mr.map"(%d) ({
    ^bb0(%b: tensor<2xf32>):
      %2 = stablehlo.exponential %b : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %0 = "mr.broadcast"(%3) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %4 = "mr.map"(%1, %0) ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %2 = stablehlo.subtract %a, %b : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %5 = "mr.reduce_max"(%4) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
