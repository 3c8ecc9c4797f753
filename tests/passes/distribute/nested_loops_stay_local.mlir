// Of nested placements only the outermost is split: one all-reduce, outside.
// passes: inline raise simplify expand-reductions fuse-maps place simplify distribute
// layout: loop
// count: mr.all_reduce_start 1
// count: mr.foreach 2
module @m attributes {mr.placements = {clients = 3 : i64, hosts = 2 : i64}} {
  func.func public @main(%d: tensor<2x3x4xf32>) -> (tensor<4xf32>) {
    %0 = "mr.map"(%d) ({
    ^bb0(%h: tensor<3x4xf32>):
      %1 = "mr.map"(%h) ({
      ^bb1(%c: tensor<4xf32>):
        %2 = stablehlo.sine %c : tensor<4xf32>
        "mr.return"(%2) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %4 = "mr.reduce_sum"(%1) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
      "mr.return"(%4) : (tensor<4xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
    %5 = "mr.reduce_sum"(%0) {placement = "hosts"} : (tensor<2x4xf32>) -> tensor<4xf32>
    return %5 : tensor<4xf32>
  }
}
