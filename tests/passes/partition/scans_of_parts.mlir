// Cumulative sums, products and maxima along a dimension that is cut: shards scan their parts and get the totals of all,
// forward and backward.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 3
// count: mr.mesh_all_to_all 0
// count: mr.mesh_permute 0
// count: stablehlo.reduce_window 3
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<2x37xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x37xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<2x37xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 1, 37>, padding = dense<[[0, 0], [36, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %z = stablehlo.add %x, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) : (tensor<2x37xf64>, tensor<f64>) -> tensor<2x37xf64>
    %1 = "stablehlo.reduce_window"(%a, %low) <{window_dimensions = array<i64: 1, 37>, padding = dense<[[0, 0], [0, 36]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %z = stablehlo.maximum %x, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) : (tensor<2x37xf64>, tensor<f64>) -> tensor<2x37xf64>
    %2 = "stablehlo.reduce_window"(%b, %one) <{window_dimensions = array<i64: 16>, padding = dense<[[0, 15]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %z = stablehlo.multiply %x, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    return %0, %1, %2 : tensor<2x37xf64>, tensor<2x37xf64>, tensor<16xi32>
  }
}
