module @jit_gradients attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg2: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg3: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg4: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<4x12x16xf32> {jax.result_info = "result[0]"}, tensor<16x16xf32> {jax.result_info = "result[1]"}, tensor<16x16xf32> {jax.result_info = "result[2]"}, tensor<16x16xf32> {jax.result_info = "result[3]"}, tensor<16x16xf32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x12x16xf32>) -> tensor<4x12x8x2xf32>
    %2 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %3 = stablehlo.reshape %2 : (tensor<4x12x16xf32>) -> tensor<4x12x8x2xf32>
    %4 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x12x16xf32>) -> tensor<4x12x8x2xf32>
    %6 = stablehlo.dot_general %1, %3, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x12x8x2xf32>, tensor<4x12x8x2xf32>) -> tensor<4x8x12x12xf32>
    %cst = stablehlo.constant dense<1.41421354> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x12x12xf32>
    %8 = stablehlo.divide %6, %7 : tensor<4x8x12x12xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %10 = call @tril(%9) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %11:2 = call @_where(%10, %8, %cst_0) : (tensor<12x12xi1>, tensor<4x8x12x12xf32>, tensor<f32>) -> (tensor<4x8x12x12xf32>, tensor<4x8x12x12xi1>)
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%11#0 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<4x8x12x12xf32>, tensor<f32>) -> tensor<4x8x12xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8x12xf32>
    %14 = stablehlo.maximum %13, %12 : tensor<4x8x12xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<4x8x12xf32>) -> tensor<4x8x12x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<4x8x12x1xf32>) -> tensor<4x8x12x12xf32>
    %17 = stablehlo.subtract %11#0, %16 : tensor<4x8x12x12xf32>
    %18 = stablehlo.exponential %17 : tensor<4x8x12x12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<4x8x12x12xf32>, tensor<f32>) -> tensor<4x8x12xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<4x8x12xf32>) -> tensor<4x8x12x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<4x8x12x1xf32>) -> tensor<4x8x12x12xf32>
    %22 = stablehlo.divide %18, %21 : tensor<4x8x12x12xf32>
    %23 = stablehlo.multiply %20, %20 : tensor<4x8x12x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x8x12x1xf32>
    %25 = stablehlo.divide %24, %23 : tensor<4x8x12x1xf32>
    %26 = stablehlo.dot_general %5, %22, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x12x8x2xf32>, tensor<4x8x12x12xf32>) -> tensor<4x8x2x12xf32>
    %27 = stablehlo.transpose %26, dims = [0, 3, 1, 2] : (tensor<4x8x2x12xf32>) -> tensor<4x12x8x2xf32>
    %28 = stablehlo.reshape %27 : (tensor<4x12x8x2xf32>) -> tensor<4x12x16xf32>
    %29 = stablehlo.dot_general %28, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %30 = stablehlo.add %arg0, %29 : tensor<4x12x16xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x12x16xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<4x12x16xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %33 = stablehlo.divide %cst_6, %cst_7 : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<4x12x16xf32>
    %35 = stablehlo.multiply %34, %32 : tensor<4x12x16xf32>
    %36 = stablehlo.dot_general %35, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<4x12x16xf32>) -> tensor<16x16xf32>
    %37 = stablehlo.transpose %36, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %38 = stablehlo.dot_general %35, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %39 = stablehlo.reshape %38 : (tensor<4x12x16xf32>) -> tensor<4x12x8x2xf32>
    %40 = stablehlo.transpose %39, dims = [0, 2, 3, 1] : (tensor<4x12x8x2xf32>) -> tensor<4x8x2x12xf32>
    %41 = stablehlo.dot_general %40, %5, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x8x2x12xf32>, tensor<4x12x8x2xf32>) -> tensor<4x8x12x12xf32>
    %42 = stablehlo.dot_general %40, %22, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x2x12xf32>, tensor<4x8x12x12xf32>) -> tensor<4x8x2x12xf32>
    %43 = stablehlo.transpose %42, dims = [0, 3, 1, 2] : (tensor<4x8x2x12xf32>) -> tensor<4x12x8x2xf32>
    %44 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<4x8x12x1xf32>) -> tensor<4x8x12x12xf32>
    %45 = stablehlo.multiply %41, %44 : tensor<4x8x12x12xf32>
    %46 = stablehlo.multiply %45, %18 : tensor<4x8x12x12xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<4x8x12x12xf32>, tensor<f32>) -> tensor<4x8x12xf32>
    %48 = stablehlo.reshape %47 : (tensor<4x8x12xf32>) -> tensor<4x8x12x1xf32>
    %49 = stablehlo.negate %48 : tensor<4x8x12x1xf32>
    %50 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<4x8x12x1xf32>) -> tensor<4x8x12x12xf32>
    %51 = stablehlo.divide %41, %50 : tensor<4x8x12x12xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%49 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<4x8x12x1xf32>, tensor<f32>) -> tensor<4x8x12xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<4x8x12xf32>) -> tensor<4x8x12x12xf32>
    %54 = stablehlo.add %51, %53 : tensor<4x8x12x12xf32>
    %55 = stablehlo.multiply %54, %18 : tensor<4x8x12x12xf32>
    %56 = call @_where_0(%11#1, %55) : (tensor<4x8x12x12xi1>, tensor<4x8x12x12xf32>) -> tensor<4x8x12x12xf32>
    %cst_10 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x8x12x12xf32>
    %58 = stablehlo.divide %56, %57 : tensor<4x8x12x12xf32>
    %59 = stablehlo.dot_general %58, %1, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x12x12xf32>, tensor<4x12x8x2xf32>) -> tensor<4x8x12x2xf32>
    %60 = stablehlo.transpose %59, dims = [0, 2, 1, 3] : (tensor<4x8x12x2xf32>) -> tensor<4x12x8x2xf32>
    %61 = stablehlo.dot_general %58, %3, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x12x12xf32>, tensor<4x12x8x2xf32>) -> tensor<4x8x12x2xf32>
    %62 = stablehlo.transpose %61, dims = [0, 2, 1, 3] : (tensor<4x8x12x2xf32>) -> tensor<4x12x8x2xf32>
    %63 = stablehlo.reshape %43 : (tensor<4x12x8x2xf32>) -> tensor<4x12x16xf32>
    %64 = stablehlo.dot_general %63, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<4x12x16xf32>) -> tensor<16x16xf32>
    %65 = stablehlo.transpose %64, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %66 = stablehlo.dot_general %63, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %67 = stablehlo.add %35, %66 : tensor<4x12x16xf32>
    %68 = stablehlo.reshape %60 : (tensor<4x12x8x2xf32>) -> tensor<4x12x16xf32>
    %69 = stablehlo.dot_general %68, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<4x12x16xf32>) -> tensor<16x16xf32>
    %70 = stablehlo.transpose %69, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %71 = stablehlo.dot_general %68, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %72 = stablehlo.add %67, %71 : tensor<4x12x16xf32>
    %73 = stablehlo.reshape %62 : (tensor<4x12x8x2xf32>) -> tensor<4x12x16xf32>
    %74 = stablehlo.dot_general %73, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<4x12x16xf32>) -> tensor<16x16xf32>
    %75 = stablehlo.transpose %74, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %76 = stablehlo.dot_general %73, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x12x16xf32>, tensor<16x16xf32>) -> tensor<4x12x16xf32>
    %77 = stablehlo.add %72, %76 : tensor<4x12x16xf32>
    return %77, %75, %70, %65, %37 : tensor<4x12x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where(%arg0: tensor<12x12xi1>, %arg1: tensor<4x8x12x12xf32>, %arg2: tensor<f32>) -> (tensor<4x8x12x12xf32>, tensor<4x8x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<4x8x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x8x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x8x12x12xi1>, tensor<4x8x12x12xf32>
    return %3, %1 : tensor<4x8x12x12xf32>, tensor<4x8x12x12xi1>
  }
  func.func private @_where_0(%arg0: tensor<4x8x12x12xi1>, %arg1: tensor<4x8x12x12xf32>) -> tensor<4x8x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<4x8x12x12xi1>, tensor<4x8x12x12xf32>
    return %1 : tensor<4x8x12x12xf32>
  }
}
