// A loop that goes over the rows of an array that is cut along them and keeps its results so: small rows are gathered
// once before the loop, which gathers and sums nothing; each result is written by the shard that has its place.
// passes: inline simplify partition simplify
// count: mr.mesh_all_gather 1
// count: mr.mesh_all_reduce 0
module @m {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<64> : tensor<i32>
    %y0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x8xf32>
    %s0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
    %r:3 = stablehlo.while(%i = %i0, %s = %s0, %y = %y0) : tensor<i32>, tensor<1x8xf32>, tensor<64x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %x = stablehlo.dynamic_slice %a, %i, %i0, sizes = [1, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
      %t = stablehlo.tanh %s : tensor<1x8xf32>
      %next = stablehlo.add %t, %x : tensor<1x8xf32>
      %w = stablehlo.dynamic_update_slice %y, %next, %i, %i0 : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next, %w : tensor<i32>, tensor<1x8xf32>, tensor<64x8xf32>
    }
    return %r#2 : tensor<64x8xf32>
  }
}
