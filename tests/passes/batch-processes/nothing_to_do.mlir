// A program that says how arrays lie over a mesh, and no more, stays as it is.
// passes: inline batch-processes
// count: sdy.sharding_constraint 1
module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
