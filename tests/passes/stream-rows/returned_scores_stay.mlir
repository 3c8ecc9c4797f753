// The point: what is returned must be stored, and the product with it.
// passes: stream-rows{large-bytes=1024}
// count: stablehlo.while 0
module {
  func.func public @main(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>) -> (tensor<32x32xf32>, tensor<32xf32>) {
    %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x32xf32>
    %e = stablehlo.exponential %s : tensor<32x32xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    return %e, %z : tensor<32x32xf32>, tensor<32xf32>
  }
}
