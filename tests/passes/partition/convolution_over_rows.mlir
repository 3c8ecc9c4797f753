// Images cut along their rows: a convolution takes a row of each neighbour, its gradient by the input two rows of the
// cotangent; that by the kernel is a sum over shards, of which rows already sent are a part.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_reduce 1
// count: mr.mesh_permute 4
module @m {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<2x16x6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %k: tensor<3x3x3x4xf32>) -> (tensor<2x16x6x4xf32>, tensor<2x16x6x3xf32>, tensor<3x3x3x4xf32>) {
    %y = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x16x6x4xf32>
    %g = stablehlo.tanh %y : tensor<2x16x6x4xf32>
    %da = stablehlo.convolution(%g, %k) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x6x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x16x6x3xf32>
    %dk = stablehlo.convolution(%a, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x6x3xf32>, tensor<2x16x6x4xf32>) -> tensor<3x3x3x4xf32>
    return %y, %da, %dk : tensor<2x16x6x4xf32>, tensor<2x16x6x3xf32>, tensor<3x3x3x4xf32>
  }
}
