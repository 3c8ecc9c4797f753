module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32x5xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<32x5xf32>
    cond {
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg_0) : (tensor<32x5xf32>) -> tensor<32x5xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<32x5xf32>
    }
    return %0#1 : tensor<32x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<32x5xf32>) -> tensor<32x5xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x5xf32>) {
      %4 = stablehlo.slice %arg1 [3:4, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
      %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
      %6 = stablehlo.slice %arg1 [0:1, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
      %7 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
      %8 = stablehlo.concatenate %5, %arg1, %7, dim = 0 : (tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x5xf32>) -> tensor<6x5xf32>
      %9 = stablehlo.slice %8 [0:4, 0:5] : (tensor<6x5xf32>) -> tensor<4x5xf32>
      %10 = stablehlo.slice %8 [2:6, 0:5] : (tensor<6x5xf32>) -> tensor<4x5xf32>
      %11 = stablehlo.add %9, %10 : tensor<4x5xf32>
      %12 = stablehlo.slice %8 [1:5, 0:5] : (tensor<6x5xf32>) -> tensor<4x5xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
      %14 = stablehlo.multiply %13, %12 : tensor<4x5xf32>
      %15 = stablehlo.subtract %11, %14 : tensor<4x5xf32>
      sdy.return %15 : tensor<4x5xf32>
    } : (tensor<32x5xf32>) -> tensor<32x5xf32>
    %cst = stablehlo.constant dense<2.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x5xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<32x5xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<32x5xf32>
    return %3 : tensor<32x5xf32>
  }
}
