// The point: what is divided by is the sum along other dimensions than those that values are summed over.
// passes: form-attention{always=yes}
// count: mr.attention 0
module {
  func.func public @main(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>) -> tensor<32x4xf32> {
    %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x32xf32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
    %d = stablehlo.subtract %s, %mb : tensor<32x32xf32>
    %e = stablehlo.exponential %d : tensor<32x32xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %zb = stablehlo.broadcast_in_dim %z, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
    %p = stablehlo.divide %e, %zb : tensor<32x32xf32>
    %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    return %o : tensor<32x4xf32>
  }
}
