// What does not depend on the argument has a gradient of zero, and needs no rules on the way.
// passes: differentiate
// count: chlo.bessel_i1e 0
// count: stablehlo.constant 1
module {
  func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
    %0 = chlo.bessel_i1e %y : tensor<3xf32> -> tensor<3xf32>
    %1 = stablehlo.floor %x : tensor<3xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %g = "mr.grad"(%x, %y) {callee = @f, wrt = array<i64: 0>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %g : tensor<3xf32>
  }
}
