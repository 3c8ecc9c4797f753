// A rule of reverse mode alone says so where tangents are asked for.
// passes: differentiate
// refused: no derivative of mr.custom_vjp (in @loss): fwd and bwd say its reverse mode alone
module {
  func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @f_fwd(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<3xf32>
    %1 = stablehlo.cosine %x : tensor<3xf32>
    return %0, %1 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @f_bwd(%r: tensor<3xf32>, %g: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %r, %g : tensor<3xf32>
    %1 = stablehlo.add %0, %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %0 = "mr.custom_vjp"(%x) {callee = @f, fwd = @f_fwd, bwd = @f_bwd} : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %g = "mr.grad"(%x) {callee = @loss, mode = "forward"} : (tensor<3xf32>) -> tensor<3xf32>
    return %g : tensor<3xf32>
  }
}
