// Sums of floats over more than two shards are taken in the order of the group: of a few bytes all terms are gathered, a
// scattered sum gets its slices; sums of two, sums of integers and maxima stay.
// passes: order-sums{always=yes}
// count: mr.mesh_all_gather 2
// count: mr.mesh_all_to_all 1
// count: mr.mesh_all_reduce 3
// count: mr.mesh_reduce_scatter 0
// count: stablehlo.reduce 3
module attributes {mr.mesh = #sdy.mesh<["s"=4]>} {
  func.func public @main(%x: tensor<6xbf16>, %i: tensor<3xi32>, %z: tensor<4x2xcomplex<f32>>) -> (tensor<6xbf16>, tensor<3xi32>, tensor<2xcomplex<f32>>, tensor<6xbf16>, tensor<6xbf16>, tensor<4x2xcomplex<f32>>) {
    %a:2 = "mr.mesh_all_reduce"(%x, %i) {groups = dense<[[3, 1, 0, 2]]> : tensor<1x4xi64>, combiner = "sum"} : (tensor<6xbf16>, tensor<3xi32>) -> (tensor<6xbf16>, tensor<3xi32>)
    %b = "mr.mesh_reduce_scatter"(%z) {groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, combiner = "sum"} : (tensor<4x2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    %c = "mr.mesh_all_reduce"(%x) {groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, combiner = "sum"} : (tensor<6xbf16>) -> tensor<6xbf16>
    %d = "mr.mesh_all_reduce"(%x) {groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, combiner = "max"} : (tensor<6xbf16>) -> tensor<6xbf16>
    %e = "mr.mesh_all_reduce"(%z) {groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, combiner = "sum"} : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    return %a#0, %a#1, %b, %c, %d, %e : tensor<6xbf16>, tensor<3xi32>, tensor<2xcomplex<f32>>, tensor<6xbf16>, tensor<6xbf16>, tensor<4x2xcomplex<f32>>
  }
}
