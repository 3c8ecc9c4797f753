// Tokens of each group go to the experts that have the same axis, and back: two exchanges, no sum, nothing whole. As many groups
// as experts: the axis is no placement's.
// passes: inline name-mesh raise simplify partition simplify
// count: mr.mesh_all_to_all 2
// count: mr.mesh_all_reduce 0
// count: mr.mesh_all_gather 0
// count: mr.map 0
module @experts {
  sdy.mesh @mesh = <["expert"=4]>
  func.func public @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, %dispatch: tensor<4x16x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}, {}]>}, %w1: tensor<4x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}, %w2: tensor<4x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}) -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<4x4x6x64xf32>
    %0 = stablehlo.dot_general %dispatch, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x16x4x6xf32>, tensor<4x16x32xf32>) -> tensor<4x4x6x32xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2, 3] : (tensor<4x4x6x32xf32>) -> tensor<4x4x6x32xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"expert"}, {}, {}, {}]> : tensor<4x4x6x32xf32>
    %3 = stablehlo.dot_general %2, %w1, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x4x6x32xf32>, tensor<4x32x64xf32>) -> tensor<4x4x6x64xf32>
    %4 = stablehlo.maximum %3, %zero : tensor<4x4x6x64xf32>
    %5 = stablehlo.dot_general %4, %w2, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x4x6x64xf32>, tensor<4x64x32xf32>) -> tensor<4x4x6x32xf32>
    %6 = stablehlo.transpose %5, dims = [1, 0, 2, 3] : (tensor<4x4x6x32xf32>) -> tensor<4x4x6x32xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"expert"}, {}, {}, {}]> : tensor<4x4x6x32xf32>
    %8 = stablehlo.dot_general %dispatch, %7, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] : (tensor<4x16x4x6xf32>, tensor<4x4x6x32xf32>) -> tensor<4x16x32xf32>
    return %8 : tensor<4x16x32xf32>
  }
}
