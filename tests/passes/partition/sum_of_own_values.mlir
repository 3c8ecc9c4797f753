// What shards have of their own inside of a computation for devices is not cut along its axes, although what is made of
// the whole outside is: each adds all of its piece, then takes its part of the sum.
// passes: inline expand-manual raise simplify partition simplify
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_gather 0
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%p: tensor<4x4xf32>) {
      %q = stablehlo.tanh %p : tensor<4x4xf32>
      %r = "stablehlo.all_reduce"(%q) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %r : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.exponential %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
