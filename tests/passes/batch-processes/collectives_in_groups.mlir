// Groups of three strategies, a combiner by region, joining, splitting and passing on.
// passes: inline batch-processes
// count: sdy.manual_computation 0
// count: stablehlo.all_reduce 0
// count: stablehlo.all_to_all 0
module @m attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6x2xi32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<24x2xf32>, tensor<12x2xf32>, tensor<6x2xi32>, tensor<6x2xi32>, tensor<6xi32>, tensor<6x2xi32>) {
    %0:9 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"y"}, {"x"}]>, <@mesh, [{"y"}, {"x"}]>, <@mesh, [{"y", "x"}]>, <@mesh, [{"y"}, {"x"}]>] manual_axes={"x", "y"} (%a: tensor<2x2xf32>, %b: tensor<2x1xi32>) {
      %rows = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %s = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %columns = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %s = stablehlo.maximum %u, %v : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %uneven = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[4, 0, 1, 5], [3, 2, -1, -1]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %half = stablehlo.constant dense<0.5> : tensor<f32>
        %w = stablehlo.multiply %u, %half : tensor<f32>
        %s = stablehlo.subtract %w, %v : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %joined = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[1, 0], [2, 3], [5, 4]]> : tensor<3x2xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<4x2xf32>
      %part = "stablehlo.reduce_scatter"(%joined) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [5, 2]]> : tensor<3x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %s = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
      %swapped = "stablehlo.all_to_all"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [4, 3], [2, 5]]> : tensor<3x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x1xi32>) -> tensor<1x2xi32>
      %tall = stablehlo.reshape %swapped : (tensor<1x2xi32>) -> tensor<2x1xi32>
      %sent = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 4], [4, 5], [2, 2], [1, 0]]> : tensor<4x2xi64>}> : (tensor<2x1xi32>) -> tensor<2x1xi32>
      %said = "stablehlo.collective_broadcast"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, replica_groups = dense<[[5, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2x1xi32>) -> tensor<2x1xi32>
      %id = stablehlo.partition_id : tensor<ui32>
      %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
      %is = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
      sdy.return %rows, %columns, %uneven, %joined, %part, %tall, %sent, %is, %said : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4x2xf32>, tensor<2x2xf32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<1xi32>, tensor<2x1xi32>
    } : (tensor<4x6xf32>, tensor<6x2xi32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<24x2xf32>, tensor<12x2xf32>, tensor<6x2xi32>, tensor<6x2xi32>, tensor<6xi32>, tensor<6x2xi32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<24x2xf32>, tensor<12x2xf32>, tensor<6x2xi32>, tensor<6x2xi32>, tensor<6xi32>, tensor<6x2xi32>
  }
}
