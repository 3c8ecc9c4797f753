// Two layers on a mesh of 8: rows of the data over "data", columns and then rows of the weights over "model", a
// loss over all, and a step of the weights.
module attributes {mr.mesh = #sdy.mesh<["data"=2, "model"=4]>} {
  func.func @main(
      %x: tensor<4x6xf32> {mr.global_type = "tensor<8x6xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w: tensor<6x3xf32> {mr.global_type = "tensor<6x12xf32>", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
      %v: tensor<3x5xf32> {mr.global_type = "tensor<12x5xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
      %b: tensor<5xf32>)
      -> (tensor<4x5xf32> {mr.global_type = "tensor<8x5xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
          tensor<f32>,
          tensor<6x3xf32> {mr.global_type = "tensor<6x12xf32>", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
          tensor<3x5xf32> {mr.global_type = "tensor<12x5xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0.0> : tensor<4x3xf32>
    %rate = stablehlo.constant dense<0.125> : tensor<f32>
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    %r = stablehlo.maximum %h, %none : tensor<4x3xf32>
    %p = stablehlo.dot_general %r, %v, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %s = "mr.mesh_all_reduce"(%p) {groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, combiner = "sum"} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
    %y = stablehlo.add %s, %bb : tensor<4x5xf32>
    %q = stablehlo.multiply %y, %y : tensor<4x5xf32>
    %l = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
    %loss = "mr.mesh_all_reduce"(%l) {groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, combiner = "sum"} : (tensor<f32>) -> tensor<f32>
    %gv = stablehlo.dot_general %r, %y, contracting_dims = [0] x [0] : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %av = "mr.mesh_all_reduce"(%gv) {groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, combiner = "sum"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %gr = stablehlo.dot_general %y, %v, contracting_dims = [1] x [1] : (tensor<4x5xf32>, tensor<3x5xf32>) -> tensor<4x3xf32>
    %is = stablehlo.compare GT, %h, %none : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
    %gh = stablehlo.select %is, %gr, %none : tensor<4x3xi1>, tensor<4x3xf32>
    %gw = stablehlo.dot_general %x, %gh, contracting_dims = [0] x [0] : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    %aw = "mr.mesh_all_reduce"(%gw) {groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, combiner = "sum"} : (tensor<6x3xf32>) -> tensor<6x3xf32>
    %rv = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %rw = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %sv = stablehlo.multiply %rv, %av : tensor<3x5xf32>
    %sw = stablehlo.multiply %rw, %aw : tensor<6x3xf32>
    %nv = stablehlo.subtract %v, %sv : tensor<3x5xf32>
    %nw = stablehlo.subtract %w, %sw : tensor<6x3xf32>
    return %y, %loss, %nw, %nv : tensor<4x5xf32>, tensor<f32>, tensor<6x3xf32>, tensor<3x5xf32>
  }
}
