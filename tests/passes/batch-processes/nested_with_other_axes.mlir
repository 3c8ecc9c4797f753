// One axis is manual outside, another inside; the devices are numbered in an order of their own.
// passes: inline batch-processes
// count: sdy.manual_computation 0
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[3, 1, 0, 2, 7, 6, 5, 4]>
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}], replicated={"y"}>] manual_axes={"x"} (%a: tensor<2x8xf32>, %b: tensor<4xf32>) {
      %c = sdy.sharding_constraint %a <@mesh, [{}, {"y"}]> : tensor<2x8xf32>
      %1:2 = sdy.manual_computation(%c, %b) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y":(2)2}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}]>] manual_axes={"y"} (%p: tensor<2x2xf32>, %q: tensor<2xf32>) {
        %id = stablehlo.partition_id : tensor<ui32>
        %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
        %is = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %r = stablehlo.add %q, %is : tensor<2xf32>
        %s = "stablehlo.all_reduce"(%r) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[3, 7], [1, 6], [0, 5], [2, 4]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%u: tensor<f32>, %v: tensor<f32>):
          %t = stablehlo.add %u, %v : tensor<f32>
          stablehlo.return %t : tensor<f32>
        }) : (tensor<2xf32>) -> tensor<2xf32>
        %w = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
        %o = stablehlo.multiply %p, %w : tensor<2x2xf32>
        sdy.return %o, %s : tensor<2x2xf32>, tensor<2xf32>
      } : (tensor<2x8xf32>, tensor<4xf32>) -> (tensor<2x8xf32>, tensor<8xf32>)
      sdy.return %1#0, %1#1 : tensor<2x8xf32>, tensor<8xf32>
    } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
  }
}
