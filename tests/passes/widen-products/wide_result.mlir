// A boundary: a result that is f32 already is not converted; small and wide products stay.
// passes: widen-products
// count: stablehlo.dot_general 3
// count: stablehlo.convert 2
module {
  func.func public @main(%a: tensor<2x8x32xf16>, %b: tensor<2x32x8xf16>, %c: tensor<64x64xf32>, %d: tensor<2x32xbf16>) -> (tensor<2x8x8xf32>, tensor<64x64xf32>, tensor<2x2xbf16>) {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x32xf16>, tensor<2x32x8xf16>) -> tensor<2x8x8xf32>
    %1 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [1] : (tensor<2x32xbf16>, tensor<2x32xbf16>) -> tensor<2x2xbf16>
    return %0, %1, %2 : tensor<2x8x8xf32>, tensor<64x64xf32>, tensor<2x2xbf16>
  }
}
