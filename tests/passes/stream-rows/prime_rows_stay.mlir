// The point: blocks are equally large; a prime number of rows stays, and so do columns, of which all are needed
// for each row's maximum.
// passes: stream-rows{large-bytes=20000}
// count: stablehlo.while 0
module {
  func.func public @main(%q: tensor<127x4xf32>, %k: tensor<64x4xf32>) -> tensor<127xf32> {
    %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<127x4xf32>, tensor<64x4xf32>) -> tensor<127x64xf32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<127x64xf32>, tensor<f32>) -> tensor<127xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<127xf32>) -> tensor<127x64xf32>
    %d = stablehlo.subtract %s, %mb : tensor<127x64xf32>
    %e = stablehlo.exponential %d : tensor<127x64xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<127x64xf32>, tensor<f32>) -> tensor<127xf32>
    return %z : tensor<127xf32>
  }
}
