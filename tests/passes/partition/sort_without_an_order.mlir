// Near misses: numbers that are not comparable make no order, so that what the comparisons of the whole give needs the
// whole; so does a sort of so little that calls take longer than it.
// passes: inline simplify partition simplify
// count: mr.mesh_all_gather 2
// count: mr.mesh_permute 0
// count: stablehlo.sort 2
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<4000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<40xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<40xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %1 = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<4000xf32>) -> tensor<4000xf32>
    %2 = "stablehlo.sort"(%b) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<40xi32>) -> tensor<40xi32>
    return %0, %2 : tensor<4000xf32>, tensor<40xi32>
  }
}
