// The same by tangents, which need no trip count.
// passes: differentiate
// input 0: 1.5
// count: stablehlo.while 1
module {
  func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.while(%c = %x) : tensor<f32>
    cond {
      %n = stablehlo.constant dense<50.0> : tensor<f32>
      %1 = stablehlo.compare LT, %c, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %c, %c : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %g = "mr.grad"(%x) {callee = @loss, mode = "forward"} : (tensor<f32>) -> tensor<f32>
    return %g : tensor<f32>
  }
}
