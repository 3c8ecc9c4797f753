// A loop per partition whose carries change places, and that captures a placed value and a shared one.
// passes: inline raise
// placement: clients=5
// count: mr.map 1
// count: mr.reduce_sum 1
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<5x2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<5x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:3 = stablehlo.while(%i = %c, %a = %0, %b = %1) : tensor<i32>, tensor<5x2xf32>, tensor<5x2xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %3 = stablehlo.add %a, %d : tensor<5x2xf32>
      %4 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
      %5 = stablehlo.multiply %3, %4 : tensor<5x2xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %c_1 : tensor<i32>
      stablehlo.return %10, %b, %5 : tensor<i32>, tensor<5x2xf32>, tensor<5x2xf32>
    }
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = stablehlo.reduce(%2#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.slice %2#2 [0:1, 0:2] : (tensor<5x2xf32>) -> tensor<1x2xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %6, %8 : tensor<2xf32>, tensor<2xf32>
  }
}
