// Two meshes of the same devices, one of them in another order, parts of axes on arguments, results and constraints and
// at the edge of a computation for devices, and priorities.
module @parts {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @across = <["d"=4, "c"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
  func.func public @main(%x: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"a"}p1]>}, %w: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b":(2)2}]>}, %p: tensor<8x6xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@across, [{"d":(2)2, "c"}, {}]>}, tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2}, {"a"}]>}, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8xui32>) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x12xf32>, tensor<12x8xf32>) -> tensor<16x8xf32>
    %t = stablehlo.tanh %y : tensor<16x8xf32>
    %u = sdy.sharding_constraint %t <@mesh, [{"b":(1)2, ?}, {"a", "b":(2)2}p2]> : tensor<16x8xf32>
    %s = stablehlo.slice %u [1:8, 2:7] : (tensor<16x8xf32>) -> tensor<7x5xf32>
    %r = sdy.manual_computation(%p) in_shardings=[<@mesh, [{"b":(1)2, "a"}, {"b":(2)2}]>] out_shardings=[<@mesh, [{"b":(1)2, "a"}, {"b":(2)2}]>] manual_axes={"a", "b"} (%own: tensor<2x3xf32>) {
      %n = "stablehlo.collective_permute"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %v = stablehlo.add %own, %n : tensor<2x3xf32>
      sdy.return %v : tensor<2x3xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %q:2 = sdy.manual_computation(%p) in_shardings=[<@across, [{"d"}, {"c"}]>] out_shardings=[<@across, [{"d"}, {"c"}]>, <@across, [{"c", "d"}]>] manual_axes={"c", "d"} (%own: tensor<2x3xf32>) {
      %g = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 4, 1, 5], [2, 6, 3, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %m: tensor<f32>):
        %o = stablehlo.add %l, %m : tensor<f32>
        stablehlo.return %o : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %id = stablehlo.partition_id : tensor<ui32>
      %k = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
      sdy.return %g, %k : tensor<2x3xf32>, tensor<1xui32>
    } : (tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8xui32>)
    return %u, %s, %r, %q#0, %q#1 : tensor<16x8xf32>, tensor<7x5xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8xui32>
  }
}
