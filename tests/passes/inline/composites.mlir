// A near miss: placement composites stay for raise, others become their op or their decomposition.
// passes: inline
// count: stablehlo.composite 1
// count: chlo.square 1
// count: stablehlo.optimization_barrier 0
module @m {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<4x3xf32>) {
    %0 = stablehlo.composite "chlo.square" %arg0 {decomposition = @chlo.square.impl} : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.composite "my.add_one" %0 {decomposition = @my.add_one} : (tensor<3xf32>) -> tensor<3xf32>
    %2 = stablehlo.optimization_barrier %1 : tensor<3xf32>
    %3 = stablehlo.composite "partita.broadcast" %2 {composite_attributes = {n = 4 : i64, placement = "clients"}, decomposition = @partita.broadcast} : (tensor<3xf32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
  func.func private @chlo.square.impl(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @my.add_one(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<1.0> : tensor<3xf32>
    %0 = stablehlo.add %arg0, %cst : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @partita.broadcast(%arg0: tensor<3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
