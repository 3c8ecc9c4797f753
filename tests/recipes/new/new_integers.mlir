func.func @three_bits() {
  %x = stablehlo.constant dense<[-4, -3, -2, -1, 0, 1, 2, 3]> : tensor<8xi3>
  %two = stablehlo.constant dense<2> : tensor<8xi3>
  %sum = stablehlo.add %x, %two : tensor<8xi3>
  check.expect_eq_const %sum, dense<[-2, -1, 0, 1, 2, 3, -4, -3]> : tensor<8xi3>
  %ones = stablehlo.popcnt %x : tensor<8xi3>
  check.expect_eq_const %ones, dense<[1, 2, 2, 3, 0, 1, 1, 2]> : tensor<8xi3>
  %u = stablehlo.bitcast_convert %x : (tensor<8xi3>) -> tensor<8xui3>
  check.expect_eq_const %u, dense<[4, 5, 6, 7, 0, 1, 2, 3]> : tensor<8xui3>
  %half = stablehlo.constant dense<1> : tensor<8xui3>
  %shifted = stablehlo.shift_right_logical %u, %half : tensor<8xui3>
  check.expect_eq_const %shifted, dense<[2, 2, 3, 3, 0, 0, 1, 1]> : tensor<8xui3>
  %f = stablehlo.constant dense<[-9.0, -4.0, 2.9, 100.0]> : tensor<4xf32>
  %i = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xi3>
  check.expect_eq_const %i, dense<[-4, -4, 2, 3]> : tensor<4xi3>
  return
}
