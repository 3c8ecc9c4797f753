// A near miss: a phase without a reduction communicates nothing, even when a next one reads it.
// passes: inline raise simplify expand-reductions fuse-maps place simplify distribute
// count: mr.all_reduce_start 0
// count: mr.all_gather_start 0
module @m attributes {mr.placements = {clients = 5 : i64}} {
  func.func public @main(%d: tensor<5x4xf32>, %x: tensor<4xf32>) -> (tensor<5x4xf32>) {
    %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<5x4xf32>
    %0 = "mr.map"(%d, %b) ({
    ^bb0(%a: tensor<4xf32>, %c: tensor<4xf32>):
      %2 = stablehlo.multiply %a, %c : tensor<4xf32>
      "mr.return"(%2) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}
