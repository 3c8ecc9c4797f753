// Integers of 32 bits are multiplied by halves where there is much to multiply; those of 64 bits and small products stay.
// passes: widen-products{worth-halves=1000000}
// count: stablehlo.dot_general 8
// count: stablehlo.shift_left 2
module {
  func.func public @main(%a: tensor<128x96xi32>, %b: tensor<96x96xi32>, %c: tensor<128x96xui32>, %d: tensor<96x96xui32>, %e: tensor<128x96xi64>, %f: tensor<96x96xi64>, %g: tensor<16x16xi32>) -> (tensor<128x96xi32>, tensor<128x96xui32>, tensor<128x96xi64>, tensor<16x16xi32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x96xi32>, tensor<96x96xi32>) -> tensor<128x96xi32>
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<128x96xui32>, tensor<96x96xui32>) -> tensor<128x96xui32>
    %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<128x96xi64>, tensor<96x96xi64>) -> tensor<128x96xi64>
    %3 = stablehlo.dot_general %g, %g, contracting_dims = [1] x [0] : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    return %0, %1, %2, %3 : tensor<128x96xi32>, tensor<128x96xui32>, tensor<128x96xi64>, tensor<16x16xi32>
  }
}
