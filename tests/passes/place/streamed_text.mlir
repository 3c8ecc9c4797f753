// What the loop looks like: broadcasts are shared operands, reductions are kinds of results, types
// inside know nothing of the placement.
// passes: place
// layout: loop
module @m attributes {mr.placements = {clients = 8 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %d: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<8x4xf32>
    %1 = "mr.map"(%0, %d) ({
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %2 = stablehlo.multiply %a, %b : tensor<4xf32>
      "mr.return"(%2) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<8x4xf32>) -> tensor<4xf32>
    return %3, %1 : tensor<4xf32>, tensor<8x4xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 8 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %d: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    %0:2 = "mr.foreach"(%d, %x) ({
    ^bb0(%first: tensor<i64>, %count: tensor<i32>, %b: tensor<4xf32>, %a: tensor<4xf32>):
      %2 = stablehlo.multiply %a, %b : tensor<4xf32>
      "mr.return"(%2, %2) : (tensor<4xf32>, tensor<4xf32>) -> ()
    }) {block = 1 : i64, operand_segments = array<i64: 1, 1>, placement = "clients", results = ["sum", "stack"]} : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<8x4xf32>
  }
}
