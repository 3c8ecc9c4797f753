// A sharding constraint that names a mesh axis says where the axis is; no --placement is needed.
// passes: inline raise
// count: mr.map 1
// count: mr.reduce_mean 1
// count: sdy.sharding_constraint 0
module @m {
  sdy.mesh @mesh = <["clients"=4]>
  func.func public @main(%x: tensor<4xf32>, %d: tensor<4x4xf32>) -> (tensor<4xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"clients"}, {?}]> : tensor<4x4xf32>
    %2 = stablehlo.multiply %1, %d : tensor<4x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %n = stablehlo.constant dense<4.0> : tensor<4xf32>
    %4 = stablehlo.divide %3, %n : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}
