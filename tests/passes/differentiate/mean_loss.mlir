// The gradient of a mean loss: one broadcast of the cotangent, one reduction for the parameters.
// passes: differentiate
// count: mr.grad 0
// count: mr.broadcast 2
// count: mr.reduce_sum 1
// count: mr.reduce_mean 0
// count: mr.map 2
module attributes {mr.placements = {clients = 3}} {
  func.func private @loss(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> tensor<f32> {
    %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %l = "mr.map"(%b, %d) ({
    ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %v = stablehlo.dot_general %p, %q, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      %w = stablehlo.subtract %v, %one : tensor<f32>
      %s = stablehlo.multiply %w, %w : tensor<f32>
      "mr.return"(%s) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
    %m = "mr.reduce_mean"(%l) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %m : tensor<f32>
  }
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> tensor<2xf32> {
    %g = "mr.grad"(%x, %d) {callee = @loss} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    return %g : tensor<2xf32>
  }
}
