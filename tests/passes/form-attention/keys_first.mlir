// The point: keys may be the first operand and values too, and rows have several dimensions; a guarded maximum, sums
// kept wider than weights.
// passes: form-attention{always=yes}
// count: mr.attention 1
// count: stablehlo.dot_general 0
module {
  func.func public @main(%q: tensor<2x3x5x8xbf16>, %k: tensor<20x2x8xbf16>, %v: tensor<20x6x2xbf16>) -> tensor<2x6x3x5xbf16> {
    %s = stablehlo.dot_general %k, %q, batching_dims = [1] x [0], contracting_dims = [2] x [3] : (tensor<20x2x8xbf16>, tensor<2x3x5x8xbf16>) -> tensor<2x20x3x5xf32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<2x20x3x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %lows = stablehlo.constant dense<0xFF800000> : tensor<2x3x5xf32>
    %g = stablehlo.maximum %lows, %m : tensor<2x3x5xf32>
    %mb = stablehlo.broadcast_in_dim %g, dims = [0, 2, 3] : (tensor<2x3x5xf32>) -> tensor<2x20x3x5xf32>
    %d = stablehlo.subtract %s, %mb : tensor<2x20x3x5xf32>
    %e = stablehlo.exponential %d : tensor<2x20x3x5xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x20x3x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %zb = stablehlo.broadcast_in_dim %z, dims = [0, 2, 3] : (tensor<2x3x5xf32>) -> tensor<2x20x3x5xf32>
    %p = stablehlo.divide %e, %zb : tensor<2x20x3x5xf32>
    %pc = stablehlo.convert %p : (tensor<2x20x3x5xf32>) -> tensor<2x20x3x5xbf16>
    %o = stablehlo.dot_general %v, %pc, batching_dims = [2] x [0], contracting_dims = [0] x [1] : (tensor<20x6x2xbf16>, tensor<2x20x3x5xbf16>) -> tensor<2x6x3x5xbf16>
    return %o : tensor<2x6x3x5xbf16>
  }
}
