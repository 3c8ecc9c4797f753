// The point: forward and reverse are loops of their own, with a product between them that needs all rows; scores
// are computed again in the second, from the rows' maxima and sums.
// passes: inline raise simplify-loops simplify differentiate simplify-loops simplify expand-ops stream-rows{large-bytes=2048}
// count: stablehlo.while 2
// count: stablehlo.exponential 2
module {
  func.func public @main(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>, %w: tensor<32x32xf32>) -> (tensor<f32>, tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) {
    %g:4 = "mr.grad"(%q, %k, %v, %w) {callee = @loss, value = true, wrt = array<i64: 0, 1, 2>} : (tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x32xf32>) -> (tensor<f32>, tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>)
    return %g#0, %g#1, %g#2, %g#3 : tensor<f32>, tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>
  }
  func.func private @loss(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>, %w: tensor<32x32xf32>) -> tensor<f32> {
    %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x32xf32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %ms = "mr.stop_gradient"(%m) : (tensor<32xf32>) -> tensor<32xf32>
    %mb = stablehlo.broadcast_in_dim %ms, dims = [0] : (tensor<32xf32>) -> tensor<32x32xf32>
    %d = stablehlo.subtract %s, %mb : tensor<32x32xf32>
    %e = stablehlo.exponential %d : tensor<32x32xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %zb = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<32xf32>) -> tensor<32x32xf32>
    %p = stablehlo.divide %e, %zb : tensor<32x32xf32>
    %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %x = stablehlo.dot_general %w, %o, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %y = stablehlo.tanh %x : tensor<32x4xf32>
    %l = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x4xf32>, tensor<f32>) -> tensor<f32>
    return %l : tensor<f32>
  }
}
