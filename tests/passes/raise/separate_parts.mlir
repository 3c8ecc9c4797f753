// Two parts of a program that share nothing but the size are both raised.
// passes: inline raise
// placement: clients=11
// count: mr.reduce_sum 2
module @m {
  func.func public @main(%d: tensor<11x2xf32>, %m: tensor<11xi32>) -> (tensor<2xf32>, tensor<i32>) {
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.sine %d : tensor<11x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<11x2xf32>
    %2 = stablehlo.reduce(%1 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<11x2xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.multiply %m, %m : tensor<11xi32>
    %4 = stablehlo.reduce(%3 init: %i) applies stablehlo.add across dimensions = [0] : (tensor<11xi32>, tensor<i32>) -> tensor<i32>
    return %2, %4 : tensor<2xf32>, tensor<i32>
  }
}
