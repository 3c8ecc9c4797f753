// Powers with the exponents 0, 1, 2, 3 and -1 are products or a quotient; others stay, and so does the cube of a float of
// 16 bits, of which the square would be rounded.
// passes: inline simplify
// input 0: -2.5 0.0 -0.0 inf -inf nan 1e-30 3e20
// input 1: -3 0 2 1
// count: stablehlo.power 4
func.func @main(%x: tensor<8xf32>, %i: tensor<4xi32>, %h: tensor<4xbf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %two = stablehlo.constant dense<2.0> : tensor<8xf32>
  %three = stablehlo.constant dense<3.0> : tensor<8xf32>
  %less = stablehlo.constant dense<-1.0> : tensor<8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<8xf32>
  %five = stablehlo.constant dense<5.0> : tensor<8xf32>
  %i2 = stablehlo.constant dense<2> : tensor<4xi32>
  %i3 = stablehlo.constant dense<3> : tensor<4xi32>
  %h3 = stablehlo.constant dense<3.0> : tensor<4xbf16>
  %0 = stablehlo.power %x, %zero : tensor<8xf32>
  %1 = stablehlo.power %x, %ones : tensor<8xf32>
  %2 = stablehlo.power %x, %two : tensor<8xf32>
  %3 = stablehlo.power %x, %three : tensor<8xf32>
  %4 = stablehlo.power %x, %less : tensor<8xf32>
  %5 = stablehlo.power %x, %half : tensor<8xf32>
  %6 = stablehlo.power %x, %five : tensor<8xf32>
  %7 = stablehlo.power %i, %i2 : tensor<4xi32>
  %8 = stablehlo.power %i, %i3 : tensor<4xi32>
  %9 = stablehlo.power %h, %h3 : tensor<4xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xbf16>
}
