// Two replicas of two partitions each; what is common to all stays as it is.
// passes: inline batch-processes
// count: stablehlo.all_reduce 0
// count: stablehlo.replica_id 0
// count: stablehlo.sine 1
module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<12xf16>, tensor<3xf32>) {
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %k = stablehlo.multiply %r, %two : tensor<ui32>
    %id = stablehlo.add %k, %p : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<f16>
    %is = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<f16>) -> tensor<3xf16>
    %0 = "stablehlo.all_reduce"(%is) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %t = stablehlo.multiply %u, %v : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %w = stablehlo.add %t, %one : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }) : (tensor<3xf16>) -> tensor<3xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<3xf32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %t = stablehlo.minimum %u, %v : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %3 = "stablehlo.all_gather"(%is) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<3xf16>) -> tensor<12xf16>
    %4 = stablehlo.sine %arg0 : tensor<3xf32>
    return %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<12xf16>, tensor<3xf32>
  }
}
