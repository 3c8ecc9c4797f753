// A computation for devices is what its region does with the pieces, in the program around it.
// passes: inline expand-manual
// count: mr.mesh_slice 2
// count: mr.mesh_join 1
// count: mr.mesh_all_reduce 1
// count: sdy.manual_computation 0
// count: stablehlo.all_reduce 0
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main(%a: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%p: tensor<2x6xf32>, %q: tensor<2xf32>) {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2xf32>
      %r = "stablehlo.all_reduce"(%q) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      %t = stablehlo.multiply %s, %r : tensor<2xf32>
      sdy.return %t : tensor<2xf32>
    } : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
