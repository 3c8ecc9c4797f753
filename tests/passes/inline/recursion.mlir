// The boundary: a function that calls itself cannot be inlined.
// passes: inline
// refused: expected no recursion
module @m {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32>) {
    %0 = func.call @main(%arg0) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
