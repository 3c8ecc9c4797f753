// Equal nodes become one, also reductions with equal regions, also inside of a loop those that are
// computed before it; what differs in an attribute stays.
// passes: simplify
// count: stablehlo.exponential 1
// count: stablehlo.reduce 3
// count: stablehlo.sine 1
module @m {
  func.func public @main(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %minf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.exponential %x : tensor<4x4xf32>
    %1 = stablehlo.exponential %x : tensor<4x4xf32>
    %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.reduce(%1 init: %minf) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.add %2, %3 : tensor<4xf32>
    %s = stablehlo.sine %x : tensor<4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7:2 = stablehlo.while(%i = %c, %a = %s) : tensor<i32>, tensor<4x4xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8 = stablehlo.sine %x : tensor<4x4xf32>
      %9 = stablehlo.add %a, %8 : tensor<4x4xf32>
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %10, %9 : tensor<i32>, tensor<4x4xf32>
    }
    return %6, %4, %7#1, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>
  }
}
