module @jit_run attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<16x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<16x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x5xi32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<4xi1> {jax.result_info = "result[2]"}, tensor<i32> {jax.result_info = "result[3]"}, tensor<5xf16> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg1 : (tensor<16xui8>) -> tensor<16xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x5xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<16x5xi32>
    %c = stablehlo.constant dense<50> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x5xi32>
    %5 = stablehlo.compare GT, %arg0, %4, SIGNED : (tensor<16x5xi32>, tensor<16x5xi32>) -> tensor<16x5xi1>
    %6 = stablehlo.convert %5 : (tensor<16x5xi1>) -> tensor<16x5xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.reduce(%6 init: %c_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x5xi32>, tensor<i32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %8 = stablehlo.reduce(%arg2 init: %c_1) applies stablehlo.or across dimensions = [0] : (tensor<16x4xi1>, tensor<i1>) -> tensor<4xi1>
    %9 = stablehlo.convert %arg1 : (tensor<16xui8>) -> tensor<16xi32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %10 = call @remainder(%9, %c_2) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %12 = stablehlo.add %10, %11 : tensor<16xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %13 = stablehlo.reduce(%12 init: %c_4) applies stablehlo.multiply across dimensions = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<i32>
    %14 = stablehlo.convert %arg0 : (tensor<16x5xi32>) -> tensor<16x5xf16>
    %15 = stablehlo.convert %14 : (tensor<16x5xf16>) -> tensor<16x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16x5xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_5 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %18 = stablehlo.divide %16, %17 : tensor<5xf32>
    %19 = stablehlo.convert %18 : (tensor<5xf32>) -> tensor<5xf16>
    return %3, %7, %8, %13, %19 : tensor<16x5xi32>, tensor<i32>, tensor<4xi1>, tensor<i32>, tensor<5xf16>
  }
  func.func private @remainder(%arg0: tensor<16xi32>, %arg1: tensor<i32>) -> tensor<16xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<16xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<16xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<16xi1>, tensor<16xi1>) -> tensor<16xi1>
    %12 = stablehlo.and %11, %6 : tensor<16xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %14 = stablehlo.add %4, %13 : tensor<16xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<16xi1>, tensor<16xi32>
    return %15 : tensor<16xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
