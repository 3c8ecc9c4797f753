module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=8]> {stablehlo.mesh = {axes = [{name = "i", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<3x16xf32>) -> (tensor<3x2x2xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"i"}]>] out_shardings=[<@mesh, [{}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<3x2xf32>) {
      %1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
      %2 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<3x2xf32>) -> tensor<3x1x2xf32>
      %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
      %4 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<3x1x2xf32>) -> tensor<3x2x2xf32>
      %5 = stablehlo.multiply %3, %4 : tensor<3x2x2xf32>
      %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %9 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
      %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x2xf32>
      %8 = stablehlo.divide %6, %7 : tensor<3x2x2xf32>
      sdy.return %8 : tensor<3x2x2xf32>
    } : (tensor<3x16xf32>) -> tensor<3x2x2xf32>
    return %0 : tensor<3x2x2xf32>
  }
}
