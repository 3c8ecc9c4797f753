// Equal numbers are the same, so that only padding has a key of its own, where there is any; positions in order are the
// place already.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 5
// count: stablehlo.sort 6
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<15xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<15xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<15xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<16xi32>) -> tensor<16xi32>
    %2 = "stablehlo.sort"(%b) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %1 = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<15xf32>) -> tensor<15xf32>
    %i = stablehlo.iota dim = 0 : tensor<15xi32>
    %3:2 = "stablehlo.sort"(%b, %i) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
      %1 = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<15xf32>, tensor<15xi32>) -> (tensor<15xf32>, tensor<15xi32>)
    return %0, %2, %3#1 : tensor<16xi32>, tensor<15xf32>, tensor<15xi32>
  }
}
