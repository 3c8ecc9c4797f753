// Nested placements: clients inside of hosts, with the index of both, masks and a mean of means.
// passes: inline raise simplify-loops simplify expand-reductions fuse-maps place
// layout: loop
// count: mr.map 0
// count: mr.foreach 2
// count: mr.partition_index 0
// input 1: 1 0 1 0 1 0 1 1 1
module @m attributes {mr.placements = {clients = 3 : i64, hosts = 3 : i64}} {
  func.func public @main(%d: tensor<3x3x4xf32>, %mask: tensor<3x3xi1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3x3xf32>) {
    %x1 = "mr.broadcast"(%x) {placement = "hosts"} : (tensor<4xf32>) -> tensor<3x4xf32>
    %0:2 = "mr.map"(%d, %mask, %x1) ({
    ^bb0(%h: tensor<3x4xf32>, %m: tensor<3xi1>, %y: tensor<4xf32>):
      %y1 = "mr.broadcast"(%y) {placement = "clients"} : (tensor<4xf32>) -> tensor<3x4xf32>
      %1:2 = "mr.map"(%h, %y1) ({
      ^bb1(%c: tensor<4xf32>, %z: tensor<4xf32>):
        %i = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
        %j = "mr.partition_index"() : () -> tensor<i32>
        %ten = stablehlo.constant dense<10> : tensor<i32>
        %k = stablehlo.multiply %i, %ten : tensor<i32>
        %l = stablehlo.add %k, %j : tensor<i32>
        %f = stablehlo.convert %l : (tensor<i32>) -> tensor<f32>
        %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %n = stablehlo.multiply %c, %z : tensor<4xf32>
        %o = stablehlo.add %n, %b : tensor<4xf32>
        "mr.return"(%o, %f) : (tensor<4xf32>, tensor<f32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>)
      %p = "mr.reduce_mean"(%1#0, %m) {placement = "clients", operand_segments = array<i64: 1, 0, 1, 0>} : (tensor<3x4xf32>, tensor<3xi1>) -> tensor<4xf32>
      "mr.return"(%p, %1#1) : (tensor<4xf32>, tensor<3xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<3x3x4xf32>, tensor<3x3xi1>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x3xf32>)
    %q = "mr.reduce_mean"(%0#0) {placement = "hosts"} : (tensor<3x4xf32>) -> tensor<4xf32>
    return %q, %0#1 : tensor<4xf32>, tensor<3x3xf32>
  }
}
