module @jit_step attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg1: tensor<48x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg2: tensor<48x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg3: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<32x48xf32> {jax.result_info = "result[0][0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<48x48xf32> {jax.result_info = "result[0][1]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<48x8xf32> {jax.result_info = "result[0][2]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<f32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<16x48xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<16x48xf32>
    %3 = stablehlo.multiply %0, %0 : tensor<16x48xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<16x48xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %7 = stablehlo.multiply %6, %2 : tensor<16x48xf32>
    %8 = stablehlo.add %0, %7 : tensor<16x48xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<16x48xf32>
    %11 = stablehlo.tanh %10 : tensor<16x48xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %13 = stablehlo.subtract %12, %11 : tensor<16x48xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %15 = stablehlo.add %14, %11 : tensor<16x48xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<16x48xf32>
    %18 = stablehlo.multiply %0, %17 : tensor<16x48xf32>
    %19 = stablehlo.dot_general %18, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x48xf32>, tensor<48x48xf32>) -> tensor<16x48xf32>
    %20 = stablehlo.multiply %19, %19 : tensor<16x48xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<16x48xf32>
    %22 = stablehlo.multiply %19, %19 : tensor<16x48xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<16x48xf32>
    %cst_6 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %26 = stablehlo.multiply %25, %21 : tensor<16x48xf32>
    %27 = stablehlo.add %19, %26 : tensor<16x48xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<16x48xf32>
    %30 = stablehlo.tanh %29 : tensor<16x48xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %32 = stablehlo.subtract %31, %30 : tensor<16x48xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %34 = stablehlo.add %33, %30 : tensor<16x48xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<16x48xf32>
    %37 = stablehlo.multiply %19, %36 : tensor<16x48xf32>
    %38 = stablehlo.dot_general %37, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x48xf32>, tensor<48x8xf32>) -> tensor<16x8xf32>
    %39 = stablehlo.subtract %38, %arg4 : tensor<16x8xf32>
    %40 = stablehlo.multiply %39, %39 : tensor<16x8xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %42 = stablehlo.multiply %41, %39 : tensor<16x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%40 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %44 = stablehlo.divide %43, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_15 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %45 = stablehlo.divide %cst_14, %cst_15 : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %47 = stablehlo.multiply %46, %42 : tensor<16x8xf32>
    %48 = stablehlo.dot_general %47, %37, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x48xf32>) -> tensor<8x48xf32>
    %49 = stablehlo.transpose %48, dims = [1, 0] : (tensor<8x48xf32>) -> tensor<48x8xf32>
    %50 = stablehlo.dot_general %47, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<48x8xf32>) -> tensor<16x48xf32>
    %51 = stablehlo.multiply %19, %50 : tensor<16x48xf32>
    %52 = stablehlo.multiply %50, %36 : tensor<16x48xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %54 = stablehlo.multiply %53, %51 : tensor<16x48xf32>
    %55 = stablehlo.multiply %54, %32 : tensor<16x48xf32>
    %56 = stablehlo.multiply %55, %30 : tensor<16x48xf32>
    %57 = stablehlo.add %55, %56 : tensor<16x48xf32>
    %cst_17 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %59 = stablehlo.multiply %58, %57 : tensor<16x48xf32>
    %60 = stablehlo.add %52, %59 : tensor<16x48xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %62 = stablehlo.multiply %61, %59 : tensor<16x48xf32>
    %63 = stablehlo.multiply %62, %24 : tensor<16x48xf32>
    %64 = stablehlo.add %60, %63 : tensor<16x48xf32>
    %65 = stablehlo.dot_general %64, %18, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x48xf32>, tensor<16x48xf32>) -> tensor<48x48xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<48x48xf32>) -> tensor<48x48xf32>
    %67 = stablehlo.dot_general %64, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x48xf32>, tensor<48x48xf32>) -> tensor<16x48xf32>
    %68 = stablehlo.multiply %0, %67 : tensor<16x48xf32>
    %69 = stablehlo.multiply %67, %17 : tensor<16x48xf32>
    %cst_19 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %71 = stablehlo.multiply %70, %68 : tensor<16x48xf32>
    %72 = stablehlo.multiply %71, %13 : tensor<16x48xf32>
    %73 = stablehlo.multiply %72, %11 : tensor<16x48xf32>
    %74 = stablehlo.add %72, %73 : tensor<16x48xf32>
    %cst_20 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %76 = stablehlo.multiply %75, %74 : tensor<16x48xf32>
    %77 = stablehlo.add %69, %76 : tensor<16x48xf32>
    %cst_21 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<16x48xf32>
    %79 = stablehlo.multiply %78, %76 : tensor<16x48xf32>
    %80 = stablehlo.multiply %79, %5 : tensor<16x48xf32>
    %81 = stablehlo.add %77, %80 : tensor<16x48xf32>
    %82 = stablehlo.dot_general %81, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x48xf32>, tensor<16x32xf32>) -> tensor<48x32xf32>
    %83 = stablehlo.transpose %82, dims = [1, 0] : (tensor<48x32xf32>) -> tensor<32x48xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<32x48xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<32x48xf32>
    %86 = stablehlo.subtract %arg0, %85 : tensor<32x48xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<48x48xf32>
    %88 = stablehlo.multiply %87, %66 : tensor<48x48xf32>
    %89 = stablehlo.subtract %arg1, %88 : tensor<48x48xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %91 = stablehlo.multiply %90, %49 : tensor<48x8xf32>
    %92 = stablehlo.subtract %arg2, %91 : tensor<48x8xf32>
    return %86, %89, %92, %44 : tensor<32x48xf32>, tensor<48x48xf32>, tensor<48x8xf32>, tensor<f32>
  }
}
