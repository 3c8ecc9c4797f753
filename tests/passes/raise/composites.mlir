// Composites become the ops; a map that names its body takes it as region, another one is outlined
// from its decomposition.
// passes: inline raise
// count: mr.map 2
// count: mr.broadcast 1
// count: mr.reduce_mean 1
// count: stablehlo.composite 0
module @m {
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.composite "partita.broadcast" %x {composite_attributes = {n = 3 : i64, placement = "clients"}, decomposition = @partita.broadcast} : (tensor<2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.composite "partita.map" %0, %d {composite_attributes = {body = "body", body_args = [1, 0], n = 3 : i64, placement = "clients"}, decomposition = @partita.map} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.composite "partita.map" %1 {composite_attributes = {n = 3 : i64, placement = "clients"}, decomposition = @partita.map_2} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = stablehlo.composite "partita.reduce_mean" %2 {composite_attributes = {n = 3 : i64, placement = "clients"}, decomposition = @partita.reduce_mean} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
  func.func private @body(%d: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.subtract %x, %d : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @partita.broadcast(%x: tensor<2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func private @partita.map(%x: tensor<3x2xf32>, %d: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.subtract %x, %d : tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func private @partita.map_2(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func private @partita.reduce_mean(%x: tensor<3x2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    %n = stablehlo.constant dense<3.0> : tensor<2xf32>
    %1 = stablehlo.divide %0, %n : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
