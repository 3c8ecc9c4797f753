// The gradient of a pooling whose last window reaches out of the array: that window is done apart, by the shard that has
// its rows; neighbours send a row, nothing is gathered.
// passes: inline raise simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 0
// count: stablehlo.select_and_scatter 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<28x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %t: tensor<14x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<28x2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.select_and_scatter"(%a, %t, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %p : tensor<f32>
    }) : (tensor<28x2xf32>, tensor<14x2xf32>, tensor<f32>) -> tensor<28x2xf32>
    return %1 : tensor<28x2xf32>
  }
}
