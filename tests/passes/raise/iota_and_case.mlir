// Values that count along the axis become the partition's index; a branch per partition captures
// placed and shared values.
// passes: inline raise
// placement: clients=4
// count: mr.partition_index 1
// count: mr.map 1
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<4x2xf32>, %k: tensor<i32>) -> (tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.iota dim = 0 : tensor<4x2xf32>
    %1 = stablehlo.multiply %0, %d : tensor<4x2xf32>
    %2 = "stablehlo.case"(%k) ({
      %3 = stablehlo.add %1, %d : tensor<4x2xf32>
      stablehlo.return %3 : tensor<4x2xf32>
    }, {
      %3 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
      %4 = stablehlo.subtract %3, %1 : tensor<4x2xf32>
      stablehlo.return %4 : tensor<4x2xf32>
    }) : (tensor<i32>) -> tensor<4x2xf32>
    %5 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
