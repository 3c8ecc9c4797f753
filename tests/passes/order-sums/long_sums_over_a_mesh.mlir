// Of a long sum every shard adds a part, the last with padding, also in a map over a placement; both calls are for each
// partition.  The sum over the placement comes after, in its own order.
// passes: order-sums{always=yes}
// count: mr.mesh_all_gather 1
// count: mr.mesh_all_to_all 1
// count: mr.mesh_all_reduce 0
// count: mr.reduce_sum 0
// count: stablehlo.pad 1
// count: stablehlo.reduce 2
module attributes {mr.mesh = #sdy.mesh<["s"=3]>, mr.placements = {clients = 2 : i64}} {
  func.func public @main(%x: tensor<2x5x1312xf32>) -> (tensor<5x1312xf32>) {
    %0 = "mr.map"(%x) ({
    ^bb0(%a: tensor<5x1312xf32>):
      %1 = "mr.mesh_all_reduce"(%a) {groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, combiner = "sum"} : (tensor<5x1312xf32>) -> tensor<5x1312xf32>
      %2 = stablehlo.negate %1 : tensor<5x1312xf32>
      "mr.return"(%2) : (tensor<5x1312xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x5x1312xf32>) -> tensor<2x5x1312xf32>
    %3 = "mr.reduce_sum"(%0) {placement = "clients"} : (tensor<2x5x1312xf32>) -> tensor<5x1312xf32>
    return %3 : tensor<5x1312xf32>
  }
}
