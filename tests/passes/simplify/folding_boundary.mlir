// Constants fold where the result is small or one repeated element; large ones stay computed.
// passes: simplify
module @m {
  func.func public @main() -> (tensor<8x8xi32>, tensor<65xi32>, tensor<1000x1000xf32>, tensor<i32>) {
    %a = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
    %b = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xi32>) -> tensor<13x5xi32>
    %2 = stablehlo.reshape %1 : (tensor<13x5xi32>) -> tensor<65xi32>
    %c = stablehlo.constant dense<2.0> : tensor<1000x1000xf32>
    %3 = stablehlo.multiply %c, %c : tensor<1000x1000xf32>
    %4 = stablehlo.sqrt %3 : tensor<1000x1000xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
    return %0, %2, %4, %5 : tensor<8x8xi32>, tensor<65xi32>, tensor<1000x1000xf32>, tensor<i32>
  }
}
// expect:
module @m {
  func.func public @main() -> (tensor<8x8xi32>, tensor<65xi32>, tensor<1000x1000xf32>, tensor<i32>) {
    %0 = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]]> : tensor<8x8xi32>
    %b = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xi32>) -> tensor<13x5xi32>
    %2 = stablehlo.reshape %1 : (tensor<13x5xi32>) -> tensor<65xi32>
    %4 = stablehlo.constant dense<2.0> : tensor<1000x1000xf32>
    %5 = stablehlo.constant dense<36> : tensor<i32>
    return %0, %2, %4, %5 : tensor<8x8xi32>, tensor<65xi32>, tensor<1000x1000xf32>, tensor<i32>
  }
}
