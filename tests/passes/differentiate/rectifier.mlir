// A rectifier's gradient asks for its result alone, by one comparison and one selection.
// passes: differentiate simplify
// count: mr.map 2
// count: stablehlo.maximum 1
// count: stablehlo.compare 1
// count: stablehlo.select 1
module attributes {mr.placements = {clients = 3}} {
  func.func private @loss(%w: tensor<4x4xf32>, %x: tensor<3x4xf32>) -> tensor<f32> {
    %ws = "mr.broadcast"(%w) {placement = "clients"} : (tensor<4x4xf32>) -> tensor<3x4x4xf32>
    %0 = "mr.map"(%ws, %x) ({
    ^bb0(%v: tensor<4x4xf32>, %y: tensor<4xf32>):
      %1 = stablehlo.dot_general %v, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
      %2 = stablehlo.maximum %1, %zero : tensor<4xf32>
      %3 = stablehlo.dot_general %2, %2, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
      "mr.return"(%3) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x4x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
    %4 = "mr.reduce_mean"(%0) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
  func.func public @main(%w: tensor<4x4xf32>, %x: tensor<3x4xf32>) -> tensor<4x4xf32> {
    %g = "mr.grad"(%w, %x) {callee = @loss} : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    return %g : tensor<4x4xf32>
  }
}
