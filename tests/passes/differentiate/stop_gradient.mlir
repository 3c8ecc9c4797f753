// The gradient of x·stop(sin x) by x is sin x.
// passes: differentiate simplify
// count: mr.stop_gradient 0
// count: stablehlo.cosine 0
module {
  func.func private @loss(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32>
    %1 = "mr.stop_gradient"(%0) : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.multiply %x, %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %g = "mr.grad"(%x) {callee = @loss} : (tensor<f32>) -> tensor<f32>
    return %g : tensor<f32>
  }
}
