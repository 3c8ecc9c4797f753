// The point: columns are rows too, where all that is wanted along the others are sums.
// passes: stream-rows{large-bytes=20000}
// count: stablehlo.while 1
module {
  func.func public @main(%q: tensor<127x4xf32>, %k: tensor<64x4xf32>) -> tensor<127xf32> {
    %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<127x4xf32>, tensor<64x4xf32>) -> tensor<127x64xf32>
    %e = stablehlo.exponential %s : tensor<127x64xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<127x64xf32>, tensor<f32>) -> tensor<127xf32>
    return %z : tensor<127xf32>
  }
}
