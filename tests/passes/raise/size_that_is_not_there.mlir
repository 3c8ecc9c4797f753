// The boundary: a size that no dimension has is the user's mistake.
// passes: inline raise
// placement: clients=7
// refused: expected a dimension of that size
module @m {
  func.func public @main(%d: tensor<5x2xf32>) -> (tensor<5x2xf32>) {
    %0 = stablehlo.add %d, %d : tensor<5x2xf32>
    return %0 : tensor<5x2xf32>
  }
}
