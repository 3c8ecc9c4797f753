// A near miss: a sum of few terms is rounded after each of them.
// passes: widen-products
// count: stablehlo.convert 0
module {
  func.func public @main(%a: tensor<32x16xf16>, %b: tensor<16x32xf16>) -> tensor<32x32xf16> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x16xf16>, tensor<16x32xf16>) -> tensor<32x32xf16>
    return %0 : tensor<32x32xf16>
  }
}
