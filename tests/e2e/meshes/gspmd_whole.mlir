// Devices by number: a product cut against the order of the devices, and a computation for each of them.
module @gspmd attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<16x64xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %w: tensor<64x24xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}) -> (tensor<16x24xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}, tensor<4x24xf32>) {
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x24xf32>) -> tensor<16x24xf32>
    %s = stablehlo.custom_call @Sharding(%h) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<16x24xf32>) -> tensor<16x24xf32>
    %t = stablehlo.tanh %s : tensor<16x24xf32>
    %a = stablehlo.custom_call @Sharding(%t) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<16x24xf32>) -> tensor<16x24xf32>
    %p = stablehlo.custom_call @SPMDFullToShardShape(%a) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<16x24xf32>) -> tensor<4x24xf32>
    %r = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %m = stablehlo.custom_call @Sharding(%u) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<f32>) -> tensor<f32>
      %n = stablehlo.add %m, %v : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }) : (tensor<4x24xf32>) -> tensor<4x24xf32>
    %b = stablehlo.custom_call @Sharding(%r) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x24xf32>) -> tensor<4x24xf32>
    %o = stablehlo.custom_call @SPMDShardToFullShape(%b) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x24xf32>) -> tensor<4x24xf32>
    return %t, %o : tensor<16x24xf32>, tensor<4x24xf32>
  }
}
