// Computations on two meshes of the same devices, one of them in another order, with a part of an axis at an edge, and the
// numbers of devices: pieces of one mesh.
// passes: inline refine-mesh expand-manual raise simplify partition simplify
// count: sdy.manual_computation 0
// count: mr.mesh_slice 0
// count: mr.mesh_join 0
// count: mr.mesh_all_reduce 1
// count: mr.mesh_permute 1
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @across = <["v"=4, "u"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
  func.func public @main(%a: tensor<8x8xf32>, %b: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>, tensor<8xui32>) {
    %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"y":(1)2}, {"x"}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y":(1)2}, {}]>] manual_axes={"x", "y"} (%p: tensor<4x4xf32>, %q: tensor<1xf32>) {
      %r = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %r : tensor<4x4xf32>
    } : (tensor<8x8xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %1:2 = sdy.manual_computation(%a) in_shardings=[<@across, [{"v"}, {"u"}]>] out_shardings=[<@across, [{"v"}, {"u"}]>, <@across, [{"u", "v"}]>] manual_axes={"u", "v"} (%p: tensor<2x4xf32>) {
      %m = "stablehlo.collective_permute"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 4], [4, 0], [1, 5], [5, 2], [2, 6], [3, 7]]> : tensor<6x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %n = stablehlo.partition_id : tensor<ui32>
      %k = stablehlo.reshape %n : (tensor<ui32>) -> tensor<1xui32>
      sdy.return %m, %k : tensor<2x4xf32>, tensor<1xui32>
    } : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xui32>)
    return %0, %1#0, %1#1 : tensor<8x4xf32>, tensor<8x8xf32>, tensor<8xui32>
  }
}
