// Sums stay where nobody asked for the same bits.
// passes: order-sums
// count: mr.reduce_sum 1
// count: stablehlo.reduce 0
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x4xf32>) -> (tensor<4xf32>) {
    %0 = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
