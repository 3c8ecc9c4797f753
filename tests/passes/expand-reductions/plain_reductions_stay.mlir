// A near miss: a sum of f32 and extrema without mask are plain already.
// passes: expand-reductions
// count: mr.map 0
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %i: tensor<3x2xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) {
    %0 = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %1 = "mr.reduce_max"(%i) {placement = "clients"} : (tensor<3x2xi32>) -> tensor<2xi32>
    %2 = "mr.reduce_min"(%x) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %0, %1, %2 : tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x2xf32>, %i: tensor<3x2xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) {
    %0 = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    %1 = "mr.reduce_max"(%i) {placement = "clients"} : (tensor<3x2xi32>) -> tensor<2xi32>
    %2 = "mr.reduce_min"(%x) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %0, %1, %2 : tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
  }
}
