// A near miss: differences of neighbours and reversal need the whole axis; they stay and run right.
// passes: inline raise
// placement: clients=5
// remark: stops at stablehlo
// count: stablehlo.reverse 1
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<5x2xf32>
    %2 = stablehlo.tanh %1 : tensor<5x2xf32>
    %3 = stablehlo.slice %2 [0:4, 0:2] : (tensor<5x2xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.slice %2 [1:5, 0:2] : (tensor<5x2xf32>) -> tensor<4x2xf32>
    %5 = stablehlo.subtract %3, %4 : tensor<4x2xf32>
    %6 = stablehlo.reverse %2, dims = [0] : tensor<5x2xf32>
    %7 = stablehlo.add %6, %2 : tensor<5x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %8, %5 : tensor<2xf32>, tensor<4x2xf32>
  }
}
