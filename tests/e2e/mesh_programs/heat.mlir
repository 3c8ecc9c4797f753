module @jit_run attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<32x24xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<5xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<32x24xf32>, tensor<5xf32>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg_0) : (tensor<32x24xf32>) -> (tensor<32x24xf32>, tensor<f32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_1, %2#1, %iterArg) : (tensor<5xf32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %4, %2#0, %3 : tensor<i32>, tensor<32x24xf32>, tensor<5xf32>
    }
    return %1#1, %1#2 : tensor<32x24xf32>, tensor<5xf32>
  }
  func.func private @closed_call(%arg0: tensor<32x24xf32>) -> (tensor<32x24xf32>, tensor<f32>) {
    %0 = call @_roll_static(%arg0) : (tensor<32x24xf32>) -> tensor<32x24xf32>
    %1 = call @_roll_static_0(%arg0) : (tensor<32x24xf32>) -> tensor<32x24xf32>
    %2 = stablehlo.add %0, %1 : tensor<32x24xf32>
    %3 = call @_roll_static_1(%arg0) : (tensor<32x24xf32>) -> tensor<32x24xf32>
    %4 = stablehlo.add %2, %3 : tensor<32x24xf32>
    %5 = call @_roll_static_2(%arg0) : (tensor<32x24xf32>) -> tensor<32x24xf32>
    %6 = stablehlo.add %4, %5 : tensor<32x24xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %8 = stablehlo.multiply %7, %arg0 : tensor<32x24xf32>
    %9 = stablehlo.subtract %6, %8 : tensor<32x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32x24xf32>
    %12 = stablehlo.add %arg0, %11 : tensor<32x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %15 = "stablehlo.scatter"(%12, %13, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg2 : tensor<f32>
    }) : (tensor<32x24xf32>, tensor<1xi32>, tensor<24xf32>) -> tensor<32x24xf32>
    %c_2 = stablehlo.constant dense<31> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %18 = "stablehlo.scatter"(%15, %16, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg2 : tensor<f32>
    }) : (tensor<32x24xf32>, tensor<1xi32>, tensor<24xf32>) -> tensor<32x24xf32>
    %19 = stablehlo.subtract %12, %arg0 : tensor<32x24xf32>
    %20 = stablehlo.abs %19 : tensor<32x24xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_4) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<32x24xf32>, tensor<f32>) -> tensor<f32>
    return %18, %21 : tensor<32x24xf32>, tensor<f32>
  }
  func.func private @_roll_static(%arg0: tensor<32x24xf32>) -> tensor<32x24xf32> {
    %0 = stablehlo.slice %arg0 [31:32, 0:24] : (tensor<32x24xf32>) -> tensor<1x24xf32>
    %1 = stablehlo.slice %arg0 [0:31, 0:24] : (tensor<32x24xf32>) -> tensor<31x24xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x24xf32>, tensor<31x24xf32>) -> tensor<32x24xf32>
    return %2 : tensor<32x24xf32>
  }
  func.func private @_roll_static_0(%arg0: tensor<32x24xf32>) -> tensor<32x24xf32> {
    %0 = stablehlo.slice %arg0 [1:32, 0:24] : (tensor<32x24xf32>) -> tensor<31x24xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:24] : (tensor<32x24xf32>) -> tensor<1x24xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<31x24xf32>, tensor<1x24xf32>) -> tensor<32x24xf32>
    return %2 : tensor<32x24xf32>
  }
  func.func private @_roll_static_1(%arg0: tensor<32x24xf32>) -> tensor<32x24xf32> {
    %0 = stablehlo.slice %arg0 [0:32, 23:24] : (tensor<32x24xf32>) -> tensor<32x1xf32>
    %1 = stablehlo.slice %arg0 [0:32, 0:23] : (tensor<32x24xf32>) -> tensor<32x23xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<32x1xf32>, tensor<32x23xf32>) -> tensor<32x24xf32>
    return %2 : tensor<32x24xf32>
  }
  func.func private @_roll_static_2(%arg0: tensor<32x24xf32>) -> tensor<32x24xf32> {
    %0 = stablehlo.slice %arg0 [0:32, 1:24] : (tensor<32x24xf32>) -> tensor<32x23xf32>
    %1 = stablehlo.slice %arg0 [0:32, 0:1] : (tensor<32x24xf32>) -> tensor<32x1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<32x23xf32>, tensor<32x1xf32>) -> tensor<32x24xf32>
    return %2 : tensor<32x24xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
