// The point: operands are converted, the product is one of f32 and is rounded once.
// passes: widen-products
// count: stablehlo.dot_general 1
// count: stablehlo.convert 3
module {
  func.func public @main(%a: tensor<16x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<16x16xbf16> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xbf16>, tensor<32x16xbf16>) -> tensor<16x16xbf16>
    return %0 : tensor<16x16xbf16>
  }
}
