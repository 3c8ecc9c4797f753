// Maps with other axes, shared operands and results without one come out with axis 0 throughout.
// passes: inline raise simplify
// count: mr.map 1
// count: mr.broadcast 1
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
    %0:2 = "mr.map"(%x, %d) ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %1 = stablehlo.multiply %a, %b : tensor<2xf32>
      %2 = stablehlo.sine %a : tensor<2xf32>
      "mr.return"(%1, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: -1, 1>, out_axes = array<i64: 1, -1>} : (tensor<2xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xf32>
  }
}
