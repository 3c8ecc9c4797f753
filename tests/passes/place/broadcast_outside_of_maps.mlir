// A near miss: a broadcast that something other than a map uses is an ordinary one.
// passes: place
// count: mr.foreach 0
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<4xf32>) -> (tensor<3x4xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.sine %0 : tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<4xf32>) -> (tensor<3x4xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.sine %0 : tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
}
