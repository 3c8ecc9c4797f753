// What a checkpoint computes is computed again: 2 contractions, their reverse of 3, and 1 again.
// passes: inline simplify differentiate simplify
// count: stablehlo.dot_general 6
// count: stablehlo.tanh 2
// count: stablehlo.optimization_barrier 1
// count: mr.checkpoint 0
module {
  func.func private @g(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.tanh %0 : tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
  func.func private @loss(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<f32> {
    %0 = "mr.checkpoint"(%x, %w) {callee = @g} : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0, 1] x [0, 1] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func public @main(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>) {
    %g:3 = "mr.grad"(%x, %w) {callee = @loss, wrt = array<i64: 0, 1>, value = true} : (tensor<3x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>)
    return %g#0, %g#1, %g#2 : tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>
  }
}
