// An extremum with its identity is its operand, also where a comparison with the identity follows.
// passes: inline simplify
// input 0: -inf 1.0 inf nan
// count: stablehlo.maximum 0
// count: stablehlo.minimum 0
// count: stablehlo.compare 2
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
  %0 = stablehlo.maximum %x, %low : tensor<4xf32>
  %1 = stablehlo.compare GT, %0, %low : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.minimum %high, %x : tensor<4xf32>
  %3 = stablehlo.compare LT, %x, %high : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>
}
