// The point: weights that somebody else wants are stored, and nothing is gained.
// passes: form-attention{always=yes}
// count: mr.attention 0
module {
  func.func public @main(%q: tensor<2x3x40x8xf32>, %k: tensor<2x3x40x8xf32>, %v: tensor<2x3x40x8xf32>) -> (tensor<2x3x40x8xf32>, tensor<2x3x40x40xf32>) {
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x40x8xf32>, tensor<2x3x40x8xf32>) -> tensor<2x3x40x40xf32>
    %i = stablehlo.iota dim = 0 : tensor<40x40xi32>
    %j = stablehlo.iota dim = 1 : tensor<40x40xi32>
    %ge = stablehlo.compare GE, %i, %j : (tensor<40x40xi32>, tensor<40x40xi32>) -> tensor<40x40xi1>
    %mask = stablehlo.broadcast_in_dim %ge, dims = [2, 3] : (tensor<40x40xi1>) -> tensor<2x3x40x40xi1>
    %low = stablehlo.constant dense<0xFF800000> : tensor<2x3x40x40xf32>
    %t = stablehlo.select %mask, %s, %low : tensor<2x3x40x40xi1>, tensor<2x3x40x40xf32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%t init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x40x40xf32>, tensor<f32>) -> tensor<2x3x40xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x3x40xf32>) -> tensor<2x3x40x40xf32>
    %d = stablehlo.subtract %t, %mb : tensor<2x3x40x40xf32>
    %e = stablehlo.exponential %d : tensor<2x3x40x40xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x40x40xf32>, tensor<f32>) -> tensor<2x3x40xf32>
    %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2] : (tensor<2x3x40xf32>) -> tensor<2x3x40x40xf32>
    %p = stablehlo.divide %e, %zb : tensor<2x3x40x40xf32>
    %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x40x40xf32>, tensor<2x3x40x8xf32>) -> tensor<2x3x40x8xf32>
    return %o, %p : tensor<2x3x40x8xf32>, tensor<2x3x40x40xf32>
  }
}
