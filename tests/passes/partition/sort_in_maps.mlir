// Of every client's numbers, over shards of its model: what shards exchange is of all partitions that are together.
// passes: inline simplify partition{call-bytes=0} simplify place distribute
// count: mr.map 0
// count: stablehlo.sort 4
// layout: batch
// count: mr.mesh_permute 6
// count: stablehlo.reduce_window 1
module @m attributes {mr.placements = {clients = 3}} {
  sdy.mesh @mesh = <["x"=3]>
  func.func public @main(%a: tensor<3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<3x2xf32>) {
    %0:2 = "mr.map"(%a) ({
    ^bb0(%p: tensor<16xf32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = "stablehlo.sort"(%p) <{dimension = 0 : i64, is_stable = false}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %1 = stablehlo.compare LT, %u, %v, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<16xf32>) -> tensor<16xf32>
      %c = "stablehlo.reduce_window"(%s, %zero) <{window_dimensions = array<i64: 16>, padding = dense<[[15, 0]]> : tensor<1x2xi64>}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %1 = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
      %t:2 = chlo.top_k(%p, k = 2) : tensor<16xf32> -> (tensor<2xf32>, tensor<2xi32>)
      "mr.return"(%c, %t#0) : (tensor<16xf32>, tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0, 0>} : (tensor<3x16xf32>) -> (tensor<3x16xf32>, tensor<3x2xf32>)
    return %0#0, %0#1 : tensor<3x16xf32>, tensor<3x2xf32>
  }
}
