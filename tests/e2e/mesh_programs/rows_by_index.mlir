module @jit_run attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x6xf32> {jax.result_info = "result[0]"}, tensor<32x6xf32> {jax.result_info = "result[1]"}, tensor<32x6xf32> {jax.result_info = "result[2]"}, tensor<5x3xf32> {jax.result_info = "result[3]"}, tensor<32x6xf32> {jax.result_info = "result[4]"}, tensor<32x6xf32> {jax.result_info = "result[5]"}, tensor<5x6xf32> {jax.result_info = "result[6]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<16xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<16xi1>, tensor<16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<32x6xf32>, tensor<16x1xi32>) -> tensor<16x6xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_2 = stablehlo.constant dense<32> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<16xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<16xi1>, tensor<16xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %13 = "stablehlo.scatter"(%arg0, %12, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %39 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<32x6xf32>, tensor<16x1xi32>, tensor<16x6xf32>) -> tensor<32x6xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %15 = stablehlo.compare LT, %arg1, %14, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_4 = stablehlo.constant dense<32> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %17 = stablehlo.add %arg1, %16 : tensor<16xi32>
    %18 = stablehlo.select %15, %17, %arg1 : tensor<16xi1>, tensor<16xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %20 = "stablehlo.scatter"(%arg0, %19, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %39 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<32x6xf32>, tensor<16x1xi32>, tensor<16x6xf32>) -> tensor<32x6xf32>
    %21 = stablehlo.slice %arg1 [0:1] : (tensor<16xi32>) -> tensor<1xi32>
    %22 = stablehlo.reshape %21 : (tensor<1xi32>) -> tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.compare LT, %22, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<32> : tensor<i32>
    %24 = stablehlo.add %22, %c_6 : tensor<i32>
    %25 = stablehlo.select %23, %24, %22 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.dynamic_slice %arg0, %25, %c_7, sizes = [5, 3] : (tensor<32x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
    %27 = stablehlo.slice %arg2 [0:4, 0:2] : (tensor<16x6xf32>) -> tensor<4x2xf32>
    %28 = stablehlo.slice %arg1 [1:2] : (tensor<16xi32>) -> tensor<1xi32>
    %29 = stablehlo.reshape %28 : (tensor<1xi32>) -> tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.compare LT, %29, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<32> : tensor<i32>
    %31 = stablehlo.add %29, %c_9 : tensor<i32>
    %32 = stablehlo.select %30, %31, %29 : tensor<i1>, tensor<i32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %33 = stablehlo.dynamic_update_slice %arg0, %27, %32, %c_10 : (tensor<32x6xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<32x6xf32>
    %34 = stablehlo.reverse %arg0, dims = [0] : tensor<32x6xf32>
    %c_11 = stablehlo.constant dense<5> : tensor<i32>
    %35 = call @remainder(%arg1, %c_11) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %38 = "stablehlo.scatter"(%36, %37, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %39 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<16x1xi32>, tensor<16x6xf32>) -> tensor<5x6xf32>
    return %6, %13, %20, %26, %33, %34, %38 : tensor<16x6xf32>, tensor<32x6xf32>, tensor<32x6xf32>, tensor<5x3xf32>, tensor<32x6xf32>, tensor<32x6xf32>, tensor<5x6xf32>
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
