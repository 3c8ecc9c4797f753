module @fed_prox attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<2xf64>
    %1 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %2 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %3 = stablehlo.multiply %2, %1 : tensor<f64>
    %4 = stablehlo.multiply %0, %0 : tensor<2xf64>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %7 = stablehlo.multiply %6, %3 : tensor<f64>
    %8 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %10 = stablehlo.subtract %8, %9 : tensor<f64>
    %11 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %12 = stablehlo.multiply %11, %10 : tensor<f64>
    %13 = stablehlo.multiply %12, %10 : tensor<f64>
    %14 = stablehlo.add %13, %7 : tensor<f64>
    return %14 : tensor<f64>
  }
  func.func private @differentiated_1(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<2xf64>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %3 = stablehlo.multiply %2, %1 : tensor<f64>
    %4 = stablehlo.multiply %0, %0 : tensor<2xf64>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %7 = stablehlo.multiply %6, %3 : tensor<f64>
    %8 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %10 = stablehlo.subtract %8, %9 : tensor<f64>
    %11 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %12 = stablehlo.multiply %11, %10 : tensor<f64>
    %13 = stablehlo.multiply %12, %10 : tensor<f64>
    %14 = stablehlo.add %13, %7 : tensor<f64>
    return %14 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%arg1, %0) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %2 = stablehlo.constant dense<0> : tensor<i32>
      %3:2 = stablehlo.while(%arg4 = %2, %arg5 = %arg3) : tensor<i32>, tensor<2xf64>
      cond {
        %4 = stablehlo.constant dense<3> : tensor<i32>
        %5 = stablehlo.compare LT, %arg4, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %6:2 = "mr.grad"(%arg5, %arg3, %arg2) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
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
    %14 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %15 = "mr.map"(%arg1, %14) ({
    ^bb0(%arg6: tensor<2xf64>, %arg7: tensor<2xf64>):
      %16 = stablehlo.constant dense<0> : tensor<i32>
      %17:2 = stablehlo.while(%arg8 = %16, %arg9 = %arg7) : tensor<i32>, tensor<2xf64>
      cond {
        %18 = stablehlo.constant dense<3> : tensor<i32>
        %19 = stablehlo.compare LT, %arg8, %18 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %19 : tensor<i1>
      } do {
        %20:2 = "mr.grad"(%arg9, %arg7, %arg6) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %21 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %23 = stablehlo.multiply %22, %20#1 : tensor<2xf64>
        %24 = stablehlo.subtract %arg9, %23 : tensor<2xf64>
        %25 = stablehlo.constant dense<1> : tensor<i32>
        %26 = stablehlo.add %arg8, %25 : tensor<i32>
        stablehlo.return %26, %24 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%17#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %27 = "mr.reduce_mean"(%15) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    return %13, %27 : tensor<2xf64>, tensor<2xf64>
  }
}
