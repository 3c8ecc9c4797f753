module @jit_run attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<24xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %c) : tensor<24xf32>, tensor<i32>
    cond {
      %8 = func.call @norm(%iterArg) : (tensor<24xf32>) -> tensor<f32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %9 = stablehlo.compare GT, %8, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<50> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg_4, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %11 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<i1>
      %12 = stablehlo.compare NE, %10, %11, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %13 = stablehlo.convert %12 : tensor<i1>
      %14 = stablehlo.and %9, %13 : tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<8.000000e-01> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
      %9 = stablehlo.multiply %iterArg, %8 : tensor<24xf32>
      %10 = func.call @_roll_static(%iterArg) : (tensor<24xf32>) -> tensor<24xf32>
      %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<24xf32>
      %12 = stablehlo.multiply %11, %10 : tensor<24xf32>
      %13 = stablehlo.subtract %9, %12 : tensor<24xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %iterArg_4, %c_6 : tensor<i32>
      stablehlo.return %13, %14 : tensor<24xf32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare GT, %0#1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      stablehlo.return %0#0 : tensor<24xf32>
    }, {
      %8 = stablehlo.cosine %0#0 : tensor<24xf32>
      stablehlo.return %8 : tensor<24xf32>
    }) : (tensor<i32>) -> tensor<24xf32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %4 = call @remainder(%0#1, %c_1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = stablehlo.convert %4 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %6 = stablehlo.clamp %c_2, %5, %c_3 : tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.reduce(%0#0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }, {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %8 = stablehlo.reduce(%0#0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }, {
      %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %8 = stablehlo.reduce(%0#0 init: %cst) applies stablehlo.minimum across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %3, %0#1, %7 : tensor<24xf32>, tensor<i32>, tensor<f32>
  }
  func.func private @norm(%arg0: tensor<24xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @_roll_static(%arg0: tensor<24xf32>) -> tensor<24xf32> {
    %0 = stablehlo.slice %arg0 [21:24] : (tensor<24xf32>) -> tensor<3xf32>
    %1 = stablehlo.slice %arg0 [0:21] : (tensor<24xf32>) -> tensor<21xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3xf32>, tensor<21xf32>) -> tensor<24xf32>
    return %2 : tensor<24xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare NE, %2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i32>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
