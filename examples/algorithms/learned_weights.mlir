module @learned_weights attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<3xf64>, %arg1: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.reduce_weighted_mean"(%arg1, %arg0) {operand_segments = array<i64: 1, 1, 0, 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3xf64>) -> tensor<2xf64>
    %1 = stablehlo.slice %0 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
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
  func.func private @differentiated_2(%arg0: tensor<3xf64>, %arg1: tensor<2xf64>, %arg2: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg1) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%arg2, %0) ({
    ^bb0(%arg3: tensor<2xf64>, %arg4: tensor<2xf64>):
      %2 = stablehlo.constant dense<0> : tensor<i32>
      %3:2 = stablehlo.while(%arg5 = %2, %arg6 = %arg4) : tensor<i32>, tensor<2xf64>
      cond {
        %4 = stablehlo.constant dense<3> : tensor<i32>
        %5 = stablehlo.compare LT, %arg5, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %6:2 = "mr.grad"(%arg6, %arg3) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %7 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %9 = stablehlo.multiply %8, %6#1 : tensor<2xf64>
        %10 = stablehlo.subtract %arg6, %9 : tensor<2xf64>
        %11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %arg5, %11 : tensor<i32>
        stablehlo.return %12, %10 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%3#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %13 = "mr.reduce_weighted_mean"(%1, %arg0) {operand_segments = array<i64: 1, 1, 0, 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3xf64>) -> tensor<2xf64>
    %14 = "mr.broadcast"(%13) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %15 = "mr.map"(%arg2, %14) ({
    ^bb0(%arg7: tensor<2xf64>, %arg8: tensor<2xf64>):
      %16 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %18 = stablehlo.subtract %16, %17 : tensor<f64>
      %19 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %20 = stablehlo.multiply %19, %18 : tensor<f64>
      %21 = stablehlo.multiply %20, %18 : tensor<f64>
      "mr.return"(%21) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %22 = "mr.reduce_mean"(%15) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %22 : tensor<f64>
  }
  func.func private @differentiated_3(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_4(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>, %arg2: tensor<3xf64>, %arg3: tensor<3x2xf64>) -> (tensor<3xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<f64>, tensor<f64>) {
    %0:3 = "mr.grad"(%arg2, %arg3) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<3xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<3xf64>, tensor<3x2xf64>)
    %1:2 = "mr.grad"(%arg2, %arg0, %arg1) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<3xf64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<3xf64>)
    %2 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %4 = stablehlo.multiply %3, %1#1 : tensor<3xf64>
    %5 = stablehlo.subtract %arg2, %4 : tensor<3xf64>
    %6 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %7 = "mr.map"(%arg1, %6) ({
    ^bb0(%arg4: tensor<2xf64>, %arg5: tensor<2xf64>):
      %8 = stablehlo.constant dense<0> : tensor<i32>
      %9:2 = stablehlo.while(%arg6 = %8, %arg7 = %arg5) : tensor<i32>, tensor<2xf64>
      cond {
        %10 = stablehlo.constant dense<3> : tensor<i32>
        %11 = stablehlo.compare LT, %arg6, %10 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %12:2 = "mr.grad"(%arg7, %arg4) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %13 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %15 = stablehlo.multiply %14, %12#1 : tensor<2xf64>
        %16 = stablehlo.subtract %arg7, %15 : tensor<2xf64>
        %17 = stablehlo.constant dense<1> : tensor<i32>
        %18 = stablehlo.add %arg6, %17 : tensor<i32>
        stablehlo.return %18, %16 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%9#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %19 = "mr.reduce_weighted_mean"(%7, %arg2) {operand_segments = array<i64: 1, 1, 0, 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3xf64>) -> tensor<2xf64>
    %20 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %21 = "mr.map"(%arg1, %20) ({
    ^bb0(%arg8: tensor<2xf64>, %arg9: tensor<2xf64>):
      %22 = stablehlo.constant dense<0> : tensor<i32>
      %23:2 = stablehlo.while(%arg10 = %22, %arg11 = %arg9) : tensor<i32>, tensor<2xf64>
      cond {
        %24 = stablehlo.constant dense<3> : tensor<i32>
        %25 = stablehlo.compare LT, %arg10, %24 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %25 : tensor<i1>
      } do {
        %26:2 = "mr.grad"(%arg11, %arg8) {callee = @differentiated_4, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %27 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %29 = stablehlo.multiply %28, %26#1 : tensor<2xf64>
        %30 = stablehlo.subtract %arg11, %29 : tensor<2xf64>
        %31 = stablehlo.constant dense<1> : tensor<i32>
        %32 = stablehlo.add %arg10, %31 : tensor<i32>
        stablehlo.return %32, %30 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%23#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %33 = "mr.reduce_weighted_mean"(%21, %5) {operand_segments = array<i64: 1, 1, 0, 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3xf64>) -> tensor<2xf64>
    %34 = "mr.broadcast"(%33) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %35 = "mr.map"(%arg1, %34) ({
    ^bb0(%arg12: tensor<2xf64>, %arg13: tensor<2xf64>):
      %36 = stablehlo.dot_general %arg13, %arg12, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %37 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %38 = stablehlo.subtract %36, %37 : tensor<f64>
      %39 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %40 = stablehlo.multiply %39, %38 : tensor<f64>
      %41 = stablehlo.multiply %40, %38 : tensor<f64>
      "mr.return"(%41) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %42 = "mr.reduce_mean"(%35) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %43 = stablehlo.compare LT, %42, %1#0 : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %44 = stablehlo.convert %43 : (tensor<i1>) -> tensor<f64>
    return %0#1, %0#2, %19, %1#0, %44 : tensor<3xf64>, tensor<3x2xf64>, tensor<2xf64>, tensor<f64>, tensor<f64>
  }
}
