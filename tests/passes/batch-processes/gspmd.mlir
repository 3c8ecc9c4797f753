// Between wholes and pieces by custom calls; a tile for each device, then copies on some.
// passes: inline batch-processes
// count: stablehlo.all_reduce 0
// count: stablehlo.custom_call 2
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x6xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}"} : (tensor<6xf32>) -> tensor<6xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<6xf32>) -> tensor<3xf32>
    %4:2 = func.call @body(%1, %3) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
    %5 = stablehlo.custom_call @Sharding(%4#0) {mhlo.sharding = "{manual}"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x3xf32>) -> tensor<8x6xf32>
    %7 = stablehlo.custom_call @SPMDShardToFullShape(%4#1) {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={replicated}}"} : (tensor<3xf32>) -> tensor<6xf32>
    return %6, %7 : tensor<8x6xf32>, tensor<6xf32>
  }
  func.func private @body(%a: tensor<4x3xf32>, %b: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
    %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.multiply %a, %0 : tensor<4x3xf32>
    %2 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %t = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %3 = "stablehlo.collective_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %t = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %1, %3 : tensor<4x3xf32>, tensor<3xf32>
  }
}
