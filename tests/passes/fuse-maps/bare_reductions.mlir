// The boundary: reductions of arguments and of what is computed outside of maps get one map to draw
// from; a masked operand that nothing else uses goes through it too.
// passes: fuse-maps
// count: mr.map 1
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%d: tensor<3x2xf32>, %e: tensor<3xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %0 = "mr.reduce_sum"(%d) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %1 = "mr.reduce_min"(%e) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %0, %1 : tensor<2xf32>, tensor<f32>
  }
}
