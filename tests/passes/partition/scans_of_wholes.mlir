// Near misses: a scan that starts from something, and windows of which the first reach farther, are of the whole.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 1
// count: stablehlo.reduce_window 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%b: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xi32>, tensor<17xi32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%b, %one) <{window_dimensions = array<i64: 16>, padding = dense<[[15, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %z = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    %1 = "stablehlo.reduce_window"(%b, %zero) <{window_dimensions = array<i64: 16>, padding = dense<[[16, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %z = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) : (tensor<16xi32>, tensor<i32>) -> tensor<17xi32>
    return %0, %1 : tensor<16xi32>, tensor<17xi32>
  }
}
