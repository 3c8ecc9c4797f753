// A sort along the one dimension, which the axis cuts unevenly: shards sort parts and exchange them with others, in as many
// steps as order four keys, with the place as a further key; nobody has the whole.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 9
// count: stablehlo.sort 4
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<37xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<37xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<37xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<37xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<i8>, %q: tensor<i8>, %r: tensor<f32>, %s: tensor<f32>):
      %c = stablehlo.constant dense<3> : tensor<i8>
      %x = stablehlo.and %p, %c : tensor<i8>
      %y = stablehlo.and %q, %c : tensor<i8>
      %1 = stablehlo.compare GT, %x, %y, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<37xi8>, tensor<37xf32>) -> (tensor<37xi8>, tensor<37xf32>)
    return %0#0, %0#1 : tensor<37xi8>, tensor<37xf32>
  }
}
