// Vectorised rounds in a loop, data carried along as JAX does: the maps are inside of the loop.
// passes: inline raise simplify-loops simplify
// placement: clients=11
// count: mr.map 1
// count: mr.reduce_mean 1
// count: mr.broadcast 1
module @m {
  func.func public @main(%w: tensor<2xf32>, %d: tensor<11x2xf32>) -> (tensor<2xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %x = %w, %e = %d) : tensor<i32>, tensor<2xf32>, tensor<11x2xf32>
    cond {
      %c = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<11x2xf32>
      %3 = stablehlo.multiply %2, %e : tensor<11x2xf32>
      %4 = stablehlo.sine %3 : tensor<11x2xf32>
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<11x2xf32>, tensor<f32>) -> tensor<2xf32>
      %n = stablehlo.constant dense<11.0> : tensor<2xf32>
      %6 = stablehlo.divide %5, %n : tensor<2xf32>
      stablehlo.return %1, %6, %e : tensor<i32>, tensor<2xf32>, tensor<11x2xf32>
    }
    return %0#1 : tensor<2xf32>
  }
}
