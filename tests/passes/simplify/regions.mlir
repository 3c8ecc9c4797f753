// Reductions over extents of 1, decided branches, a loop that does not run.
// passes: simplify
module @m {
  func.func public @main(%x: tensor<1x4xf32>, %i: tensor<2x3x4xi32>) -> (tensor<4xf32>, tensor<3xi32>, tensor<1x4xf32>, tensor<1x4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %izero = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.reduce(%i init: %izero) applies stablehlo.add across dimensions = [0] : (tensor<2x3x4xi32>, tensor<i32>) -> tensor<3x4xi32>
    %2 = stablehlo.reduce(%1 init: %izero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %3 = "stablehlo.case"(%seven) ({
      stablehlo.return %x : tensor<1x4xf32>
    }, {
      %4 = stablehlo.add %x, %x : tensor<1x4xf32>
      stablehlo.return %4 : tensor<1x4xf32>
    }) : (tensor<i32>) -> tensor<1x4xf32>
    %5:2 = stablehlo.while(%k = %seven, %a = %x) : tensor<i32>, tensor<1x4xf32>
    cond {
      %false = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %false : tensor<i1>
    } do {
      %6 = stablehlo.add %a, %a : tensor<1x4xf32>
      stablehlo.return %k, %6 : tensor<i32>, tensor<1x4xf32>
    }
    return %0, %2, %3, %5#1 : tensor<4xf32>, tensor<3xi32>, tensor<1x4xf32>, tensor<1x4xf32>
  }
}
// expect:
module @m {
  func.func public @main(%x: tensor<1x4xf32>, %i: tensor<2x3x4xi32>) -> (tensor<4xf32>, tensor<3xi32>, tensor<1x4xf32>, tensor<1x4xf32>) {
    %0 = stablehlo.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
    %izero = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.reduce(%i init: %izero) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x4xi32>, tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.add %x, %x : tensor<1x4xf32>
    return %0, %2, %4, %x : tensor<4xf32>, tensor<3xi32>, tensor<1x4xf32>, tensor<1x4xf32>
  }
}
