// The point: rows of a head lie inside of a merged dimension on their way out; sums of bf16 are kept in f32 over
// blocks and rounded once.
// passes: stream-rows{large-bytes=2048}
// count: stablehlo.while 2
// count: stablehlo.dot_general 2
module {
  func.func public @main(%q: tensor<3x32x4xbf16>, %k: tensor<32x4xbf16>) -> (tensor<96xf32>, tensor<32x4xbf16>) {
    %s = stablehlo.dot_general %q, %k, contracting_dims = [2] x [1] : (tensor<3x32x4xbf16>, tensor<32x4xbf16>) -> tensor<3x32x32xf32>
    %e = stablehlo.tanh %s : tensor<3x32x32xf32>
    %flat = stablehlo.reshape %e : (tensor<3x32x32xf32>) -> tensor<96x32xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%flat init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x32xf32>, tensor<f32>) -> tensor<96xf32>
    %small = stablehlo.convert %e : (tensor<3x32x32xf32>) -> tensor<3x32x32xbf16>
    %g = stablehlo.dot_general %small, %q, contracting_dims = [0, 1] x [0, 1] : (tensor<3x32x32xbf16>, tensor<3x32x4xbf16>) -> tensor<32x4xbf16>
    return %z, %g : tensor<96xf32>, tensor<32x4xbf16>
  }
}
