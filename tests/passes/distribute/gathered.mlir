// The boundary: what something outside of maps uses whole is gathered, and said.
// passes: inline raise simplify expand-reductions fuse-maps place simplify distribute
// layout: loop
// count: mr.all_gather_start 1
// remark: is gathered on every shard
module @m attributes {mr.placements = {clients = 5 : i64}} {
  func.func public @main(%d: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
    %0 = "mr.map"(%d) ({
    ^bb0(%a: tensor<4xf32>):
      %2 = stablehlo.sine %a : tensor<4xf32>
      "mr.return"(%2) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<5x4xf32>
    return %0, %1 : tensor<5x4xf32>, tensor<5x4xf32>
  }
}
