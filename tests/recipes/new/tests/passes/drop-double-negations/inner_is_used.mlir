// A near miss: the inner negation is a result too.
// passes: drop-double-negations
// count: stablehlo.negate 1
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.negate %x : tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
