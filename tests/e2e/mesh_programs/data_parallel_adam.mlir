module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<7xf32>, %arg1: tensor<12x7xf32>, %arg2: tensor<i32> {sdy.sharding = #sdy.sharding<@empty_mesh, []>}, %arg3: tensor<7xf32>, %arg4: tensor<12x7xf32>, %arg5: tensor<7xf32>, %arg6: tensor<12x7xf32>, %arg7: tensor<16x12xf32>, %arg8: tensor<16x7xf32>) -> (tensor<7xf32> {jax.result_info = "result[0]['b']"}, tensor<12x7xf32> {jax.result_info = "result[0]['w']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<7xf32> {jax.result_info = "result[1][0].mu['b']"}, tensor<12x7xf32> {jax.result_info = "result[1][0].mu['w']"}, tensor<7xf32> {jax.result_info = "result[1][0].nu['b']"}, tensor<12x7xf32> {jax.result_info = "result[1][0].nu['w']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0:8 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) in_shardings=[<@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, []>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{"data"}, {}]>, <@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, []>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, []>] manual_axes={"data"} (%arg9: tensor<7xf32>, %arg10: tensor<12x7xf32>, %arg11: tensor<i32>, %arg12: tensor<7xf32>, %arg13: tensor<12x7xf32>, %arg14: tensor<7xf32>, %arg15: tensor<12x7xf32>, %arg16: tensor<2x12xf32>, %arg17: tensor<2x7xf32>) {
      %1 = stablehlo.dot_general %arg16, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12xf32>, tensor<12x7xf32>) -> tensor<2x7xf32>
      %2 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<7xf32>) -> tensor<1x7xf32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<2x7xf32>
      %4 = stablehlo.add %1, %3 : tensor<2x7xf32>
      %5 = stablehlo.tanh %4 : tensor<2x7xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x7xf32>
      %7 = stablehlo.subtract %6, %5 : tensor<2x7xf32>
      %8 = stablehlo.subtract %5, %arg17 : tensor<2x7xf32>
      %9 = stablehlo.multiply %8, %8 : tensor<2x7xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x7xf32>
      %11 = stablehlo.multiply %10, %8 : tensor<2x7xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x7xf32>, tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<1.400000e+01> : tensor<f32>
      %13 = stablehlo.divide %12, %cst_2 : tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_4 = stablehlo.constant dense<1.400000e+01> : tensor<f32>
      %14 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<2x7xf32>
      %16 = stablehlo.multiply %15, %11 : tensor<2x7xf32>
      %17 = stablehlo.multiply %16, %7 : tensor<2x7xf32>
      %18 = stablehlo.multiply %17, %5 : tensor<2x7xf32>
      %19 = stablehlo.add %17, %18 : tensor<2x7xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %20 = stablehlo.reduce(%19 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<2x7xf32>, tensor<f32>) -> tensor<7xf32>
      %21 = stablehlo.reshape %20 : (tensor<7xf32>) -> tensor<1x7xf32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %22 = stablehlo.reduce(%21 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x7xf32>, tensor<f32>) -> tensor<7xf32>
      %23 = stablehlo.dot_general %19, %arg16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x7xf32>, tensor<2x12xf32>) -> tensor<7x12xf32>
      %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<7x12xf32>) -> tensor<12x7xf32>
      %25 = "stablehlo.all_reduce"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
        %90 = stablehlo.add %arg18, %arg19 : tensor<f32>
        stablehlo.return %90 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %26 = "stablehlo.all_reduce"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
        %90 = stablehlo.add %arg18, %arg19 : tensor<f32>
        stablehlo.return %90 : tensor<f32>
      }) : (tensor<7xf32>) -> tensor<7xf32>
      %27 = "stablehlo.all_reduce"(%24) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
        %90 = stablehlo.add %arg18, %arg19 : tensor<f32>
        stablehlo.return %90 : tensor<f32>
      }) : (tensor<12x7xf32>) -> tensor<12x7xf32>
      %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %28 = stablehlo.divide %25, %cst_7 : tensor<f32>
      %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %30 = stablehlo.divide %26, %29 : tensor<7xf32>
      %cst_9 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %32 = stablehlo.divide %27, %31 : tensor<12x7xf32>
      %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %34 = stablehlo.multiply %33, %30 : tensor<7xf32>
      %cst_11 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %35 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %36 = stablehlo.multiply %35, %arg12 : tensor<7xf32>
      %37 = stablehlo.add %34, %36 : tensor<7xf32>
      %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %38 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %39 = stablehlo.multiply %38, %32 : tensor<12x7xf32>
      %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %41 = stablehlo.multiply %40, %arg13 : tensor<12x7xf32>
      %42 = stablehlo.add %39, %41 : tensor<12x7xf32>
      %43 = stablehlo.multiply %30, %30 : tensor<7xf32>
      %cst_14 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %44 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %45 = stablehlo.multiply %44, %43 : tensor<7xf32>
      %cst_15 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
      %46 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %47 = stablehlo.multiply %46, %arg14 : tensor<7xf32>
      %48 = stablehlo.add %45, %47 : tensor<7xf32>
      %49 = stablehlo.multiply %32, %32 : tensor<12x7xf32>
      %cst_16 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %50 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %51 = stablehlo.multiply %50, %49 : tensor<12x7xf32>
      %cst_17 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
      %52 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %53 = stablehlo.multiply %52, %arg15 : tensor<12x7xf32>
      %54 = stablehlo.add %51, %53 : tensor<12x7xf32>
      %c = stablehlo.constant dense<2147483647> : tensor<i32>
      %55 = stablehlo.compare LT, %arg11, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %56 = stablehlo.add %arg11, %c_18 : tensor<i32>
      %c_19 = stablehlo.constant dense<2147483647> : tensor<i32>
      %57 = func.call @_where(%55, %56, %c_19) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %cst_20 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %58 = stablehlo.convert %57 : (tensor<i32>) -> tensor<f32>
      %59 = stablehlo.power %cst_20, %58 : tensor<f32>
      %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %60 = stablehlo.subtract %cst_21, %59 : tensor<f32>
      %61 = stablehlo.broadcast_in_dim %60, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %62 = stablehlo.divide %37, %61 : tensor<7xf32>
      %63 = stablehlo.broadcast_in_dim %60, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %64 = stablehlo.divide %42, %63 : tensor<12x7xf32>
      %cst_22 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
      %65 = stablehlo.convert %57 : (tensor<i32>) -> tensor<f32>
      %66 = stablehlo.power %cst_22, %65 : tensor<f32>
      %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %67 = stablehlo.subtract %cst_23, %66 : tensor<f32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %69 = stablehlo.divide %48, %68 : tensor<7xf32>
      %70 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %71 = stablehlo.divide %54, %70 : tensor<12x7xf32>
      %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %72 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %73 = stablehlo.add %69, %72 : tensor<7xf32>
      %74 = stablehlo.sqrt %73 : tensor<7xf32>
      %cst_25 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
      %75 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %76 = stablehlo.add %74, %75 : tensor<7xf32>
      %77 = stablehlo.divide %62, %76 : tensor<7xf32>
      %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %78 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %79 = stablehlo.add %71, %78 : tensor<12x7xf32>
      %80 = stablehlo.sqrt %79 : tensor<12x7xf32>
      %cst_27 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %82 = stablehlo.add %80, %81 : tensor<12x7xf32>
      %83 = stablehlo.divide %64, %82 : tensor<12x7xf32>
      %cst_28 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %85 = stablehlo.multiply %84, %77 : tensor<7xf32>
      %cst_29 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
      %86 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<12x7xf32>
      %87 = stablehlo.multiply %86, %83 : tensor<12x7xf32>
      %88 = stablehlo.add %arg9, %85 : tensor<7xf32>
      %89 = stablehlo.add %arg10, %87 : tensor<12x7xf32>
      sdy.return %88, %89, %57, %37, %42, %48, %54, %28 : tensor<7xf32>, tensor<12x7xf32>, tensor<i32>, tensor<7xf32>, tensor<12x7xf32>, tensor<7xf32>, tensor<12x7xf32>, tensor<f32>
    } : (tensor<7xf32>, tensor<12x7xf32>, tensor<i32>, tensor<7xf32>, tensor<12x7xf32>, tensor<7xf32>, tensor<12x7xf32>, tensor<16x12xf32>, tensor<16x7xf32>) -> (tensor<7xf32>, tensor<12x7xf32>, tensor<i32>, tensor<7xf32>, tensor<12x7xf32>, tensor<7xf32>, tensor<12x7xf32>, tensor<f32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<7xf32>, tensor<12x7xf32>, tensor<i32>, tensor<7xf32>, tensor<12x7xf32>, tensor<7xf32>, tensor<12x7xf32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
