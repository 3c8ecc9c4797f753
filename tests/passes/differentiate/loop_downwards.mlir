// Other ways to count: down, by another step, to a number that is met.
// passes: inline simplify-loops simplify differentiate simplify simplify-loops
// count: stablehlo.while 2
// count: stablehlo.dynamic_update_slice 2
// count: stablehlo.pad 0
module {
  func.func private @loss(%xs: tensor<4x3xf32>, %w: tensor<3xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<3> : tensor<i32>
    %0:4 = stablehlo.while(%a = %xs, %i = %zero, %c = %w, %v = %w) : tensor<4x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %n = stablehlo.constant dense<-1> : tensor<i32>
      %1 = stablehlo.compare NE, %n, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.dynamic_slice %a, %i, %z, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x3xf32>) -> tensor<3xf32>
      %3 = stablehlo.multiply %c, %2 : tensor<3xf32>
      %4 = stablehlo.multiply %3, %v : tensor<3xf32>
      %5 = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %a, %5, %4, %v : tensor<4x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>
    }
    %s = stablehlo.dot_general %0#2, %0#2, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
  func.func public @main(%xs: tensor<4x3xf32>, %w: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
    %g:2 = "mr.grad"(%xs, %w) {callee = @loss, wrt = array<i64: 0, 1>} : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
    return %g#0, %g#1 : tensor<4x3xf32>, tensor<3xf32>
  }
}
