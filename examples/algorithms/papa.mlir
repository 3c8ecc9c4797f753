module @papa attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_1(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%0, %arg1) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %2 = stablehlo.constant dense<0> : tensor<i32>
      %3:2 = stablehlo.while(%arg4 = %2, %arg5 = %arg2) : tensor<i32>, tensor<2xf64>
      cond {
        %4 = stablehlo.constant dense<3> : tensor<i32>
        %5 = stablehlo.compare LT, %arg4, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %6:2 = "mr.grad"(%arg5, %arg3) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %7 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %9 = stablehlo.multiply %8, %6#1 : tensor<2xf64>
        %10 = stablehlo.subtract %arg5, %9 : tensor<2xf64>
        %11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %arg4, %11 : tensor<i32>
        stablehlo.return %12, %10 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%3#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %13 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %14 = "mr.broadcast"(%13) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %15 = "mr.map"(%1, %14) ({
    ^bb0(%arg6: tensor<2xf64>, %arg7: tensor<2xf64>):
      %16 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
      %17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %18 = stablehlo.subtract %17, %16 : tensor<f64>
      %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %20 = stablehlo.multiply %19, %arg7 : tensor<2xf64>
      %21 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %22 = stablehlo.multiply %21, %arg6 : tensor<2xf64>
      %23 = stablehlo.add %22, %20 : tensor<2xf64>
      "mr.return"(%23) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %24 = "mr.map"(%0, %arg1) ({
    ^bb0(%arg8: tensor<2xf64>, %arg9: tensor<2xf64>):
      %25 = stablehlo.constant dense<0> : tensor<i32>
      %26:2 = stablehlo.while(%arg10 = %25, %arg11 = %arg8) : tensor<i32>, tensor<2xf64>
      cond {
        %27 = stablehlo.constant dense<3> : tensor<i32>
        %28 = stablehlo.compare LT, %arg10, %27 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %28 : tensor<i1>
      } do {
        %29:2 = "mr.grad"(%arg11, %arg9) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %30 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %32 = stablehlo.multiply %31, %29#1 : tensor<2xf64>
        %33 = stablehlo.subtract %arg11, %32 : tensor<2xf64>
        %34 = stablehlo.constant dense<1> : tensor<i32>
        %35 = stablehlo.add %arg10, %34 : tensor<i32>
        stablehlo.return %35, %33 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%26#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %36 = "mr.reduce_mean"(%24) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %37 = "mr.broadcast"(%36) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %38 = "mr.map"(%24, %37) ({
    ^bb0(%arg12: tensor<2xf64>, %arg13: tensor<2xf64>):
      %39 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %40 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %41 = stablehlo.subtract %40, %39 : tensor<f64>
      %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %43 = stablehlo.multiply %42, %arg13 : tensor<2xf64>
      %44 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %45 = stablehlo.multiply %44, %arg12 : tensor<2xf64>
      %46 = stablehlo.add %45, %43 : tensor<2xf64>
      "mr.return"(%46) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %15, %38 : tensor<3x2xf64>, tensor<3x2xf64>
  }
}
