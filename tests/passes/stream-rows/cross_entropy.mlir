// The point: a loss over many classes and its gradient in one loop over rows, the logarithm of the sum with them;
// the gradient by the weights is added up.
// passes: inline raise simplify-loops simplify differentiate simplify-loops simplify expand-ops stream-rows{large-bytes=4096}
// count: stablehlo.while 1
module {
  func.func public @main(%x: tensor<36x5xf32>, %w: tensor<5x64xf32>, %labels: tensor<36xi32>) -> (tensor<f32>, tensor<36x5xf32>, tensor<5x64xf32>) {
    %g:3 = "mr.grad"(%x, %w, %labels) {callee = @loss, value = true, wrt = array<i64: 0, 1>} : (tensor<36x5xf32>, tensor<5x64xf32>, tensor<36xi32>) -> (tensor<f32>, tensor<36x5xf32>, tensor<5x64xf32>)
    return %g#0, %g#1, %g#2 : tensor<f32>, tensor<36x5xf32>, tensor<5x64xf32>
  }
  func.func private @loss(%x: tensor<36x5xf32>, %w: tensor<5x64xf32>, %labels: tensor<36xi32>) -> tensor<f32> {
    %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<36x5xf32>, tensor<5x64xf32>) -> tensor<36x64xf32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<36x64xf32>, tensor<f32>) -> tensor<36xf32>
    %ms = "mr.stop_gradient"(%m) : (tensor<36xf32>) -> tensor<36xf32>
    %mb = stablehlo.broadcast_in_dim %ms, dims = [0] : (tensor<36xf32>) -> tensor<36x64xf32>
    %d = stablehlo.subtract %s, %mb : tensor<36x64xf32>
    %e = stablehlo.exponential %d : tensor<36x64xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<36x64xf32>, tensor<f32>) -> tensor<36xf32>
    %log = stablehlo.log %z : tensor<36xf32>
    %logb = stablehlo.broadcast_in_dim %log, dims = [0] : (tensor<36xf32>) -> tensor<36x64xf32>
    %lp = stablehlo.subtract %d, %logb : tensor<36x64xf32>
    %classes = stablehlo.iota dim = 1 : tensor<36x64xi32>
    %lb = stablehlo.broadcast_in_dim %labels, dims = [0] : (tensor<36xi32>) -> tensor<36x64xi32>
    %hit = stablehlo.compare EQ, %classes, %lb : (tensor<36x64xi32>, tensor<36x64xi32>) -> tensor<36x64xi1>
    %none = stablehlo.constant dense<0.0> : tensor<36x64xf32>
    %chosen = stablehlo.select %hit, %lp, %none : tensor<36x64xi1>, tensor<36x64xf32>
    %l = stablehlo.reduce(%chosen init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<36x64xf32>, tensor<f32>) -> tensor<f32>
    return %l : tensor<f32>
  }
}
