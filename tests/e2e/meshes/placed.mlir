// A placement beside a mesh of 2: clients hold rows, columns of the model are cut; the loss of a client meets the other
// shards of the mesh, and the mean over clients those that hold the same columns.
module attributes {mr.mesh = #sdy.mesh<["model"=2]>, mr.placements = {clients = 4}} {
  func.func @main(
      %x: tensor<4x3x2xf32> {mr.global_type = "tensor<4x3x4xf32>", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>},
      %w: tensor<2x5xf32> {mr.global_type = "tensor<4x5xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
      -> (tensor<2x5xf32> {mr.global_type = "tensor<4x5xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
          tensor<4x3x5xf32>) {
    %ww = "mr.broadcast"(%w) {placement = "clients"} : (tensor<2x5xf32>) -> tensor<4x2x5xf32>
    %0:2 = "mr.map"(%x, %ww) ({
    ^bb0(%a: tensor<3x2xf32>, %b: tensor<2x5xf32>):
      %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
      %y = "mr.mesh_all_reduce"(%p) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
      %t = stablehlo.tanh %y : tensor<3x5xf32>
      %g = stablehlo.dot_general %a, %t, contracting_dims = [0] x [0] : (tensor<3x2xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
      "mr.return"(%g, %t) : (tensor<2x5xf32>, tensor<3x5xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<4x3x2xf32>, tensor<4x2x5xf32>) -> (tensor<4x2x5xf32>, tensor<4x3x5xf32>)
    %m = "mr.reduce_mean"(%0#0) {placement = "clients"} : (tensor<4x2x5xf32>) -> tensor<2x5xf32>
    return %m, %0#1 : tensor<2x5xf32>, tensor<4x3x5xf32>
  }
}
