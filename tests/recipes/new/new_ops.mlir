func.func @softsign_f32() {
  %x = stablehlo.constant dense<[-3.0, -1.0, 0.0, 1.0, 3.0, 0x7FC00000]> : tensor<6xf32>
  %y = chlo.softsign %x : tensor<6xf32> -> tensor<6xf32>
  check.expect_almost_eq_const %y, dense<[-0.75, -0.5, 0.0, 0.5, 0.75, 0x7FC00000]> : tensor<6xf32>
  return
}
func.func @softsign_bf16() {
  %x = stablehlo.constant dense<[-1.0, 3.0]> : tensor<2xbf16>
  %y = chlo.softsign %x : tensor<2xbf16> -> tensor<2xbf16>
  check.expect_almost_eq_const %y, dense<[-0.5, 0.75]> : tensor<2xbf16>
  return
}
func.func @rotated() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = "mr.rotate"(%x) {dim = 1 : i64, shift = 4 : i64} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %y, dense<[[2, 3, 1], [5, 6, 4]]> : tensor<2x3xi32>
  return
}
func.func @softsign_f32_of(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = chlo.softsign %1 : tensor<8xf32> -> tensor<8xf32>
  return %2, %x : tensor<8xf32>, tensor<8xf32>
}
