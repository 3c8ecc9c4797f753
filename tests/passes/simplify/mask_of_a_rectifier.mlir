// x > 0 is max(x, 0) > 0 where that is computed: the sum x is used once then.  x >= 0 stays.
// passes: simplify
// input 0: -0.0 nan inf -1.5
module @m {
  func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
    %1 = stablehlo.maximum %x, %0 : tensor<4xf32>
    %2 = stablehlo.compare GT, %x, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.compare GE, %x, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %1, %2, %3 : tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
  }
}
// expect:
module @m {
  func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
    %1 = stablehlo.maximum %x, %0 : tensor<4xf32>
    %2 = stablehlo.compare GT, %1, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.compare GE, %x, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %1, %2, %3 : tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
  }
}
