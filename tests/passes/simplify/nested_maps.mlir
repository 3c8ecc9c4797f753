// The boundary: work that asks for the index of an outer partition may leave the inner map only.
// passes: simplify
// count: mr.partition_index 2
// count: mr.map 2
// count: stablehlo.exponential 1
module @m attributes {mr.placements = {clients = 3 : i64, hosts = 2 : i64}} {
  func.func public @main(%d: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
    %0 = "mr.map"(%d) ({
    ^bb0(%h: tensor<3x4xf32>):
      %s = stablehlo.constant dense<1.0> : tensor<4xf32>
      %b = "mr.broadcast"(%s) {placement = "clients"} : (tensor<4xf32>) -> tensor<3x4xf32>
      %1 = "mr.map"(%h, %b) ({
      ^bb1(%c: tensor<4xf32>, %o: tensor<4xf32>):
        %i = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
        %j = "mr.partition_index"() {placement = "clients"} : () -> tensor<i32>
        %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
        %e = stablehlo.exponential %f : tensor<f32>
        %g = stablehlo.convert %j : (tensor<i32>) -> tensor<f32>
        %k = stablehlo.add %e, %g : tensor<f32>
        %l = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %m = stablehlo.multiply %c, %l : tensor<4xf32>
        %n = stablehlo.multiply %m, %o : tensor<4xf32>
        "mr.return"(%n) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      "mr.return"(%1) : (tensor<3x4xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}
