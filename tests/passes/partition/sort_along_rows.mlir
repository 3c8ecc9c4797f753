// Where another dimension has an element for every shard, the sort goes along that: there and back, whole rows of a
// shard.  A transform too.
// passes: inline simplify partition{call-bytes=0} simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_permute 0
// count: mr.mesh_all_to_all 4
// count: stablehlo.sort 1
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<6x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %z: tensor<6x40xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<6x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<6x40xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %1 = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<6x40xf32>) -> tensor<6x40xf32>
    %2 = stablehlo.fft %z, type = FFT, length = [40] : (tensor<6x40xcomplex<f32>>) -> tensor<6x40xcomplex<f32>>
    return %0, %2 : tensor<6x40xf32>, tensor<6x40xcomplex<f32>>
  }
}
