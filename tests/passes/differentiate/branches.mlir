// A branch's reverse runs where the branch did: one node that returns what it needs, one that uses it.
// passes: inline simplify differentiate simplify
// input 0: 1
// count: stablehlo.case 2
// count: stablehlo.dot_general 4
module {
  func.func private @loss(%i: tensor<i32>, %x: tensor<3xf32>, %w: tensor<3x3xf32>) -> tensor<f32> {
    %0 = "stablehlo.case"(%i) ({
      %1 = stablehlo.multiply %x, %x : tensor<3xf32>
      stablehlo.return %1 : tensor<3xf32>
    }, {
      %1 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
      %2 = stablehlo.sine %1 : tensor<3xf32>
      stablehlo.return %2 : tensor<3xf32>
    }, {
      stablehlo.return %x : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %s = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
  func.func public @main(%i: tensor<i32>, %x: tensor<3xf32>, %w: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>) {
    %g:2 = "mr.grad"(%i, %x, %w) {callee = @loss, wrt = array<i64: 1, 2>} : (tensor<i32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
    return %g#0, %g#1 : tensor<3xf32>, tensor<3x3xf32>
  }
}
