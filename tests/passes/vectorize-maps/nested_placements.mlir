// Inner placements first; axes of operands and results that are not the first.
// passes: inline raise expand-reductions vectorize-maps
// count: mr.map 0
// count: mr.reduce_sum 0
module @m attributes {mr.placements = {hosts = 2, clients = 3}} {
  func.func public @main(%x: tensor<4x2x3xf32>) -> tensor<4x2xf32> {
    %0 = "mr.map"(%x) ({
    ^bb0(%p: tensor<4x3xf32>):
      %1 = "mr.map"(%p) ({
      ^bb0(%q: tensor<4xf32>):
        %t = stablehlo.tanh %q : tensor<4xf32>
        "mr.return"(%t) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 1>, out_axes = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
      %s = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
      "mr.return"(%s) : (tensor<4xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 1>, out_axes = array<i64: 1>} : (tensor<4x2x3xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
