// Sorts of numbers and of keys with what belongs to them, the largest scores with their places, and sums from either end (of squares: what cancels has no digits), along dimensions
// that eight shards cut, unevenly: parts travel, and no shard has the whole.
module @ordered {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%k: tensor<99991xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %v: tensor<99991xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<3x40001xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<99991xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<99991xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<99991xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<3x5xf32>, tensor<3x5xi32>, tensor<3x40001xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<99991xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<99991xi32>, tensor<99991xf32>) -> (tensor<99991xi32>, tensor<99991xf32>)
    %5 = "stablehlo.sort"(%v) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<99991xf32>) -> tensor<99991xf32>
    %2:2 = chlo.top_k(%s, k = 5) : tensor<3x40001xf32> -> (tensor<3x5xf32>, tensor<3x5xi32>)
    %ss = stablehlo.multiply %s, %s : tensor<3x40001xf32>
    %3 = "stablehlo.reduce_window"(%ss, %zero) <{window_dimensions = array<i64: 1, 40001>, padding = dense<[[0, 0], [40000, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x40001xf32>, tensor<f32>) -> tensor<3x40001xf32>
    %4 = "stablehlo.reduce_window"(%k, %none) <{window_dimensions = array<i64: 99991>, padding = dense<[[0, 99990]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<99991xi32>, tensor<i32>) -> tensor<99991xi32>
    return %0#0, %0#1, %5, %2#0, %2#1, %3, %4 : tensor<99991xi32>, tensor<99991xf32>, tensor<99991xf32>, tensor<3x5xf32>, tensor<3x5xi32>, tensor<3x40001xf32>, tensor<99991xi32>
  }
}
