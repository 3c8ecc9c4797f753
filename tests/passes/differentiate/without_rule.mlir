// An op without derivative is named, with the path to it; never a zero.
// passes: differentiate
// refused: no derivative of chlo.polygamma (in @f > map)
module attributes {mr.placements = {clients = 3}} {
  func.func private @f(%x: tensor<3xf32>) -> tensor<f32> {
    %0 = "mr.map"(%x) ({
    ^bb0(%q: tensor<f32>):
      %1 = chlo.polygamma %q, %q : tensor<f32>, tensor<f32> -> tensor<f32>
      "mr.return"(%1) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
    %2 = "mr.reduce_sum"(%0) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %g = "mr.grad"(%x) {callee = @f} : (tensor<3xf32>) -> tensor<3xf32>
    return %g : tensor<3xf32>
  }
}
