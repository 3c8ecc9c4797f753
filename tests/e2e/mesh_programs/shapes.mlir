module @jit_run attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> (tensor<8x24xf32> {jax.result_info = "result[0]"}, tensor<97xf32> {jax.result_info = "result[1]"}, tensor<8xf32> {jax.result_info = "result[2]"}, tensor<37x6xf32> {jax.result_info = "result[3]"}, tensor<32x2x6xf32> {jax.result_info = "result[4]"}, tensor<35x9xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<32x6xf32>) -> tensor<4x8x6xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<4x8x6xf32>) -> tensor<8x4x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x4x6xf32>) -> tensor<8x24xf32>
    %3 = stablehlo.reshape %2 : (tensor<8x24xf32>) -> tensor<192xf32>
    %4 = stablehlo.slice %3 [3:100] : (tensor<192xf32>) -> tensor<97xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x6xf32>
    %6 = stablehlo.multiply %0, %5 : tensor<4x8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x8x6xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.slice %arg0 [0:5, 0:6] : (tensor<32x6xf32>) -> tensor<5x6xf32>
    %9 = stablehlo.concatenate %arg0, %8, dim = 0 : (tensor<32x6xf32>, tensor<5x6xf32>) -> tensor<37x6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x6xf32>
    %11 = stablehlo.multiply %10, %arg0 : tensor<32x6xf32>
    %12 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<32x6xf32>) -> tensor<32x1x6xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<32x6xf32>) -> tensor<32x1x6xf32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<32x1x6xf32>, tensor<32x1x6xf32>) -> tensor<32x2x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15 = call @_pad(%arg0, %c) : (tensor<32x6xf32>, tensor<i32>) -> tensor<35x9xf32>
    return %2, %4, %7, %9, %14, %15 : tensor<8x24xf32>, tensor<97xf32>, tensor<8xf32>, tensor<37x6xf32>, tensor<32x2x6xf32>, tensor<35x9xf32>
  }
  func.func private @_pad(%arg0: tensor<32x6xf32>, %arg1: tensor<i32>) -> tensor<35x9xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 3], high = [2, 0], interior = [0, 0] : (tensor<32x6xf32>, tensor<f32>) -> tensor<35x9xf32>
    return %1 : tensor<35x9xf32>
  }
}
