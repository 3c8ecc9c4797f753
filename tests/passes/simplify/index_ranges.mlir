// The counter of a loop is never negative, so that wrapping it is dropped, and its bounds are known;
// an argument may be negative and keeps its select; a counter that may pass its bound is compared.
// passes: simplify
// count: stablehlo.select 1
// count: stablehlo.compare 3
// count: stablehlo.dynamic_slice 2
module @m {
  func.func public @main(%x: tensor<5x4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
    %7:2 = stablehlo.while(%i = %c, %a = %zeros) : tensor<i32>, tensor<4xf32>
    cond {
      %c_0 = stablehlo.constant dense<5> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %c_5 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.add %i, %c_5 : tensor<i32>
      %3 = stablehlo.select %1, %2, %i : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<4> : tensor<i32>
      %4 = stablehlo.clamp %c_0, %3, %c_4 : tensor<i32>
      %5 = stablehlo.dynamic_slice %x, %4, %c_0, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x4xf32>) -> tensor<4xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.compare GE, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %b = stablehlo.convert %9 : (tensor<i1>) -> tensor<f32>
      %w = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %m = stablehlo.multiply %6, %w : tensor<4xf32>
      %11 = stablehlo.add %a, %m : tensor<4xf32>
      %10 = stablehlo.add %i, %c_1 : tensor<i32>
      stablehlo.return %10, %11 : tensor<i32>, tensor<4xf32>
    }
    %c_5 = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %n, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.add %n, %c_5 : tensor<i32>
    %3 = stablehlo.select %1, %2, %n : tensor<i1>, tensor<i32>
    %5 = stablehlo.dynamic_slice %x, %3, %c, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    return %7#1, %5 : tensor<4xf32>, tensor<1x4xf32>
  }
}
