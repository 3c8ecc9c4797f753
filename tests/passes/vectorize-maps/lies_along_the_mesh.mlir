// A mean of a map over the mesh's axis of that name: one sum, each shard has its partitions.
// passes: inline raise simplify expand-reductions vectorize-maps simplify partition simplify
// count: mr.map 0
// count: mr.broadcast 0
// count: mr.reduce_sum 0
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_gather 0
module @m attributes {mr.placements = {clients = 6}} {
  sdy.mesh @mesh = <["clients"=3]>
  func.func public @main(%w: tensor<4xf32>, %x: tensor<6x5x4xf32>) -> tensor<4xf32> {
    %b = "mr.broadcast"(%w) {placement = "clients"} : (tensor<4xf32>) -> tensor<6x4xf32>
    %0 = "mr.map"(%b, %x) ({
    ^bb0(%p: tensor<4xf32>, %d: tensor<5x4xf32>):
      %y = stablehlo.dot_general %d, %p, contracting_dims = [1] x [0] : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
      %g = stablehlo.dot_general %y, %d, contracting_dims = [0] x [0] : (tensor<5xf32>, tensor<5x4xf32>) -> tensor<4xf32>
      "mr.return"(%g) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<6x4xf32>, tensor<6x5x4xf32>) -> tensor<6x4xf32>
    %m = "mr.reduce_mean"(%0) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<4xf32>
    return %m : tensor<4xf32>
  }
}
