// What a computation for the devices of a mesh sums itself is in order too: a sum over an axis of more than two, a scattered
// sum; not one over an axis of two.
// passes: inline name-mesh expand-manual simplify partition simplify order-sums{always=yes}
// count: mr.mesh_all_gather 1
// count: mr.mesh_all_to_all 1
// count: mr.mesh_all_reduce 1
// count: mr.mesh_reduce_scatter 0
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%a: tensor<12x2xf32>) -> (tensor<12x2xf32>, tensor<6x2xf32>, tensor<4x2xf32>) {
    %0:3 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"y"}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%p: tensor<2x2xf32>) {
      %q = stablehlo.concatenate %p, %p, %p, dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
      %s = "stablehlo.reduce_scatter"(%q) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<6x2xf32>) -> tensor<2x2xf32>
      %r = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %t = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      sdy.return %s, %r, %t : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
    } : (tensor<12x2xf32>) -> (tensor<12x2xf32>, tensor<6x2xf32>, tensor<4x2xf32>)
    return %0#0, %0#1, %0#2 : tensor<12x2xf32>, tensor<6x2xf32>, tensor<4x2xf32>
  }
}
