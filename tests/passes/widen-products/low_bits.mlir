// A result of few bits keeps the low ones of the sum; a convolution is as a product.
// passes: widen-products
// count: stablehlo.convolution 1
module {
  func.func public @main(%a: tensor<16x32xui8>, %b: tensor<32x16xui8>, %x: tensor<1x12x12x8xi8>, %w: tensor<3x3x8x8xi8>) -> (tensor<16x16xui8>, tensor<1x12x12x8xi32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xui8>, tensor<32x16xui8>) -> tensor<16x16xui8>
    %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x12x12x8xi8>, tensor<3x3x8x8xi8>) -> tensor<1x12x12x8xi32>
    return %0, %1 : tensor<16x16xui8>, tensor<1x12x12x8xi32>
  }
}
