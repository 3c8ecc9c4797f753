module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x24xf32>) -> (tensor<8x24xf32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}, tensor<16x24xf32> {jax.result_info = "result[2]"}, tensor<16x6xf32> {jax.result_info = "result[3]"}, tensor<16x6xf32> {jax.result_info = "result[4]"}, tensor<8x24xf32> {jax.result_info = "result[5]"}, tensor<4x96xf32> {jax.result_info = "result[6]"}, tensor<16x24xf32> {jax.result_info = "result[7]"}) {
    %0:8 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{}, {"b"}]>, <@mesh, [{}, {}]>, <@mesh, [{"a"}, {}]>, <@mesh, [{"a", "b"}, {}]>, <@mesh, [{"a"}, {}]>, <@mesh, [{}, {"b"}]>, <@mesh, [{"a"}, {"b"}]>, <@mesh, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%arg1: tensor<8x6xf32>) {
      %c = stablehlo.constant dense<4> : tensor<ui32>
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<10> : tensor<i32>
      %5 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<1> : tensor<ui32>
      %c_3 = stablehlo.constant dense<4> : tensor<ui32>
      %6 = stablehlo.partition_id : tensor<ui32>
      %7 = stablehlo.divide %6, %c_2 : tensor<ui32>
      %8 = stablehlo.remainder %7, %c_3 : tensor<ui32>
      %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i32>
      %10 = stablehlo.add %5, %9 : tensor<i32>
      %11 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %23 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %12 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %23 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %13 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<8x6xf32>) -> tensor<8x24xf32>
      %14 = "stablehlo.reduce_scatter"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %23 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<8x6xf32>) -> tensor<2x6xf32>
      %15 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %23 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %16 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %23 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
      %18 = stablehlo.divide %16, %17 : tensor<8x6xf32>
      %19 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x6xf32>) -> tensor<2x24xf32>
      %20 = stablehlo.convert %10 : (tensor<i32>) -> tensor<f32>
      %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
      %22 = stablehlo.multiply %arg1, %21 : tensor<8x6xf32>
      sdy.return %11, %12, %13, %14, %15, %18, %19, %22 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x24xf32>, tensor<2x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<2x24xf32>, tensor<8x6xf32>
    } : (tensor<16x24xf32>) -> (tensor<8x24xf32>, tensor<8x6xf32>, tensor<16x24xf32>, tensor<16x6xf32>, tensor<16x6xf32>, tensor<8x24xf32>, tensor<4x96xf32>, tensor<16x24xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<8x24xf32>, tensor<8x6xf32>, tensor<16x24xf32>, tensor<16x6xf32>, tensor<16x6xf32>, tensor<8x24xf32>, tensor<4x96xf32>, tensor<16x24xf32>
  }
}
