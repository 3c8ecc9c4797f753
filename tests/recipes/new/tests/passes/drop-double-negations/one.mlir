// The boundary: one negation stays.
// passes: drop-double-negations
// count: stablehlo.negate 1
func.func @main(%x: tensor<0xf32>) -> tensor<0xf32> {
  %0 = stablehlo.negate %x : tensor<0xf32>
  return %0 : tensor<0xf32>
}
