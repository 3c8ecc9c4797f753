// Conversions there and back, where the type between holds every value; a narrowing stays.
// passes: simplify
// count: stablehlo.convert 3
module @m {
  func.func public @main(%h: tensor<4xf16>, %x: tensor<4xf32>, %i: tensor<4xi8>, %u: tensor<4xui32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xui32>) {
    %0 = stablehlo.convert %h : (tensor<4xf16>) -> tensor<4xf32>
    %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xf16>
    %2 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf16>
    %3 = stablehlo.convert %2 : (tensor<4xf16>) -> tensor<4xf32>
    %4 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xi32>
    %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xf32>
    %6 = stablehlo.convert %u : (tensor<4xui32>) -> tensor<4xi64>
    %7 = stablehlo.convert %6 : (tensor<4xi64>) -> tensor<4xui32>
    return %1, %3, %5, %7 : tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xui32>
  }
}
