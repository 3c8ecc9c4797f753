// Sums of products of i8 are exact in f32 up to 1024 terms, of i8 and ui8 up to 512, and beyond in f64; i32 stays.
// passes: widen-products
// count: stablehlo.convert 7
module {
  func.func public @main(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<2x1100xi8>, %d: tensor<1100x16xui8>, %e: tensor<16x16xi32>) -> (tensor<16x16xi32>, tensor<2x16xi32>, tensor<16x16xi32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xi8>, tensor<32x16xi8>) -> tensor<16x16xi32>
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x1100xi8>, tensor<1100x16xui8>) -> tensor<2x16xi32>
    %2 = stablehlo.dot_general %e, %e, contracting_dims = [1] x [0] : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    return %0, %1, %2 : tensor<16x16xi32>, tensor<2x16xi32>, tensor<16x16xi32>
  }
}
