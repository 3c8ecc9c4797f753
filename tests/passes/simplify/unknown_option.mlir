// A pass takes the options that it knows.
// passes: inline simplify{level=3}
// refused: passes: simplify: expected no options, found 'level=3'
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
