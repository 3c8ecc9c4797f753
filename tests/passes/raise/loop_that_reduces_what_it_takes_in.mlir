// A loop that takes in placed data and reduces inside of itself holds the maps: the axis stops nowhere.
// passes: inline raise simplify-loops simplify
// placement: clients=5
// count: mr.reduce_sum 1
// remark: none
module @m {
  func.func public @main(%w: tensor<2xf32>, %d: tensor<5x3x2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %t = stablehlo.transpose %d, dims = [1, 0, 2] : (tensor<5x3x2xf32>) -> tensor<3x5x2xf32>
    %0:3 = stablehlo.while(%i = %zero, %x = %w, %e = %t) : tensor<i32>, tensor<2xf32>, tensor<3x5x2xf32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.dynamic_slice %e, %i, %zero, %zero, sizes = [1, 5, 2] : (tensor<3x5x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x2xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x5x2xf32>) -> tensor<5x2xf32>
      %4 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
      %5 = stablehlo.multiply %3, %4 : tensor<5x2xf32>
      %6 = stablehlo.cosine %5 : tensor<5x2xf32>
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %7 = stablehlo.reduce(%6 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
      stablehlo.return %1, %7, %e : tensor<i32>, tensor<2xf32>, tensor<3x5x2xf32>
    }
    return %0#1 : tensor<2xf32>
  }
}
