// The boundary: another public function stays, with its calls replaced; private ones that only such
// calls named disappear, results that are arguments pass through.
// passes: inline
// count: func.call 0
module @m {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0:2 = func.call @swap(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
  }
  func.func public @other(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0:2 = func.call @swap(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %1 = stablehlo.add %0#0, %0#1 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @swap(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    return %arg1, %arg0 : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @unused() -> tensor<f32> {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
}
// expect:
module @m {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    return %arg1, %arg0 : tensor<2xf32>, tensor<2xf32>
  }
  func.func public @other(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %1 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
