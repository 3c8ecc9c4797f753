module @fed_avg_adamw attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> tensor<2xf64> {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%arg1, %0) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %3 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
      %4 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
      %5 = stablehlo.constant dense<0> : tensor<i32>
      %6:6 = stablehlo.while(%arg4 = %5, %arg5 = %arg3, %arg6 = %4, %arg7 = %3, %arg8 = %2, %arg9 = %2) : tensor<i32>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<f64>
      cond {
        %7 = stablehlo.constant dense<4> : tensor<i32>
        %8 = stablehlo.compare LT, %arg4, %7 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %9:2 = "mr.grad"(%arg5, %arg2) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %10 = stablehlo.constant dense<9.999999999999998e-02> : tensor<2xf64>
        %11 = stablehlo.multiply %10, %9#1 : tensor<2xf64>
        %12 = stablehlo.constant dense<9.000000e-01> : tensor<2xf64>
        %13 = stablehlo.multiply %12, %arg6 : tensor<2xf64>
        %14 = stablehlo.add %13, %11 : tensor<2xf64>
        %15 = stablehlo.multiply %9#1, %9#1 : tensor<2xf64>
        %16 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<2xf64>
        %17 = stablehlo.multiply %16, %15 : tensor<2xf64>
        %18 = stablehlo.constant dense<9.990000e-01> : tensor<2xf64>
        %19 = stablehlo.multiply %18, %arg7 : tensor<2xf64>
        %20 = stablehlo.add %19, %17 : tensor<2xf64>
        %21 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
        %22 = stablehlo.multiply %arg8, %21 : tensor<f64>
        %23 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
        %24 = stablehlo.multiply %arg9, %23 : tensor<f64>
        %25 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %26 = stablehlo.subtract %25, %24 : tensor<f64>
        %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %28 = stablehlo.divide %20, %27 : tensor<2xf64>
        %29 = stablehlo.sqrt %28 : tensor<2xf64>
        %30 = stablehlo.constant dense<1.000000e-08> : tensor<2xf64>
        %31 = stablehlo.add %29, %30 : tensor<2xf64>
        %32 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %33 = stablehlo.subtract %32, %22 : tensor<f64>
        %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %35 = stablehlo.divide %14, %34 : tensor<2xf64>
        %36 = stablehlo.divide %35, %31 : tensor<2xf64>
        %37 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
        %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %39 = stablehlo.multiply %38, %arg5 : tensor<2xf64>
        %40 = stablehlo.add %36, %39 : tensor<2xf64>
        %41 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
        %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %43 = stablehlo.multiply %42, %40 : tensor<2xf64>
        %44 = stablehlo.subtract %arg5, %43 : tensor<2xf64>
        %45 = stablehlo.constant dense<1> : tensor<i32>
        %46 = stablehlo.add %arg4, %45 : tensor<i32>
        stablehlo.return %46, %44, %14, %20, %22, %24 : tensor<i32>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<f64>
      }
      "mr.return"(%6#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %47 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    return %47 : tensor<2xf64>
  }
}
