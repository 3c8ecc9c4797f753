// A program of one shard stays as it is.
// passes: partition
// count: mr.mesh_all_reduce 1
module @m attributes {mr.mesh = #sdy.mesh<["x"=2]>} {
  func.func public @main(%a: tensor<3x4xf32> {mr.global_type = tensor<6x4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x4xf32> {
    %0 = "mr.mesh_all_reduce"(%a) {combiner = "sum", groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
