// A gradient in a map's body, of a function that holds a gradient itself.
// passes: differentiate
// count: mr.grad 0
// count: mr.map 1
module attributes {mr.placements = {clients = 3}} {
  func.func private @f(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @slope(%x: tensor<f32>) -> tensor<f32> {
    %0 = "mr.grad"(%x) {callee = @f, wrt = array<i64: 0>} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func public @main(%d: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "mr.map"(%d) ({
    ^bb0(%q: tensor<f32>):
      %v:2 = "mr.grad"(%q) {callee = @slope, value = true, mode = "forward"} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %s = stablehlo.add %v#0, %v#1 : tensor<f32>
      "mr.return"(%s) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
