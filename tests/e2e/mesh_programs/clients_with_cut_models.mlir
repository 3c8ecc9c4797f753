module @jit_federated attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["clients"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "clients", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg2: tensor<4x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"clients"}, {}, {}]>}, %arg3: tensor<4x5x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"clients"}, {}, {}]>}) -> (tensor<6x16xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<16x3xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<6x16xf32>) -> tensor<4x6x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x3xf32>) -> tensor<4x16x3xf32>
    %2 = stablehlo.dot_general %arg2, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x5x6xf32>, tensor<4x6x16xf32>) -> tensor<4x5x16xf32>
    %3 = stablehlo.tanh %2 : tensor<4x5x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5x16xf32>
    %5 = stablehlo.subtract %4, %3 : tensor<4x5x16xf32>
    %6 = stablehlo.dot_general %3, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x5x16xf32>, tensor<4x16x3xf32>) -> tensor<4x5x3xf32>
    %7 = stablehlo.subtract %6, %arg3 : tensor<4x5x3xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x5x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4x5x3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %10 = stablehlo.divide %cst_1, %cst_2 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
    %14 = stablehlo.multiply %13, %9 : tensor<4x5x3xf32>
    %15 = stablehlo.dot_general %14, %3, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x5x3xf32>, tensor<4x5x16xf32>) -> tensor<4x3x16xf32>
    %16 = stablehlo.transpose %15, dims = [0, 2, 1] : (tensor<4x3x16xf32>) -> tensor<4x16x3xf32>
    %17 = stablehlo.dot_general %14, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x5x3xf32>, tensor<4x16x3xf32>) -> tensor<4x5x16xf32>
    %18 = stablehlo.multiply %17, %5 : tensor<4x5x16xf32>
    %19 = stablehlo.multiply %18, %3 : tensor<4x5x16xf32>
    %20 = stablehlo.add %18, %19 : tensor<4x5x16xf32>
    %21 = stablehlo.dot_general %20, %arg2, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x5x16xf32>, tensor<4x5x6xf32>) -> tensor<4x16x6xf32>
    %22 = stablehlo.transpose %21, dims = [0, 2, 1] : (tensor<4x16x6xf32>) -> tensor<4x6x16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6x16xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<4x6x16xf32>
    %25 = stablehlo.subtract %0, %24 : tensor<4x6x16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x16x3xf32>
    %27 = stablehlo.multiply %26, %16 : tensor<4x16x3xf32>
    %28 = stablehlo.subtract %1, %27 : tensor<4x16x3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%25 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<4x6x16xf32>, tensor<f32>) -> tensor<6x16xf32>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %31 = stablehlo.divide %29, %30 : tensor<6x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%28 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<4x16x3xf32>, tensor<f32>) -> tensor<16x3xf32>
    %cst_8 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x3xf32>
    %34 = stablehlo.divide %32, %33 : tensor<16x3xf32>
    return %31, %34 : tensor<6x16xf32>, tensor<16x3xf32>
  }
}
