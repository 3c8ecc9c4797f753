// A declared placement and --placement must agree.
// passes: inline raise
// placement: clients=7
// refused: expected size 5, found 7
module @m attributes {mr.placements = {clients = 5 : i64}} {
  func.func public @main(%d: tensor<5x2xf32>) -> (tensor<2xf32>) {
    %0 = "mr.reduce_sum"(%d) {placement = "clients"} : (tensor<5x2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
