module @hypergradients attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_1(%arg0: tensor<2xf64>, %arg1: tensor<f64>, %arg2: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.broadcast"(%arg1) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %2 = "mr.map"(%arg2, %0, %1) ({
    ^bb0(%arg3: tensor<2xf64>, %arg4: tensor<2xf64>, %arg5: tensor<f64>):
      %3 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%arg6 = %3, %arg7 = %arg4) : tensor<i32>, tensor<2xf64>
      cond {
        %5 = stablehlo.constant dense<3> : tensor<i32>
        %6 = stablehlo.compare LT, %arg6, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %6 : tensor<i1>
      } do {
        %7:2 = "mr.grad"(%arg7, %arg3) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %8 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %9 = stablehlo.multiply %8, %7#1 : tensor<2xf64>
        %10 = stablehlo.subtract %arg7, %9 : tensor<2xf64>
        %11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %arg6, %11 : tensor<i32>
        stablehlo.return %12, %10 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%4#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
    %13 = "mr.reduce_mean"(%2) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %14 = "mr.broadcast"(%13) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %15 = "mr.map"(%arg2, %14) ({
    ^bb0(%arg8: tensor<2xf64>, %arg9: tensor<2xf64>):
      %16 = stablehlo.dot_general %arg9, %arg8, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
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
  func.func private @differentiated_2(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_3(%arg0: tensor<2xf64>, %arg1: tensor<f64>, %arg2: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.broadcast"(%arg1) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %2 = "mr.map"(%arg2, %0, %1) ({
    ^bb0(%arg3: tensor<2xf64>, %arg4: tensor<2xf64>, %arg5: tensor<f64>):
      %3 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%arg6 = %3, %arg7 = %arg4) : tensor<i32>, tensor<2xf64>
      cond {
        %5 = stablehlo.constant dense<1> : tensor<i32>
        %6 = stablehlo.compare LT, %arg6, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %6 : tensor<i1>
      } do {
        %7:2 = "mr.grad"(%arg7, %arg3) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %8 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %9 = stablehlo.multiply %8, %7#1 : tensor<2xf64>
        %10 = stablehlo.subtract %arg7, %9 : tensor<2xf64>
        %11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %arg6, %11 : tensor<i32>
        stablehlo.return %12, %10 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%4#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
    %13 = "mr.reduce_mean"(%2) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %14 = "mr.broadcast"(%13) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %15 = "mr.map"(%arg2, %14) ({
    ^bb0(%arg8: tensor<2xf64>, %arg9: tensor<2xf64>):
      %16 = stablehlo.dot_general %arg9, %arg8, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
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
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>) {
    %0 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %1:3 = "mr.grad"(%arg0, %0, %arg1) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<2xf64>, tensor<f64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>)
    %2 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %3:3 = "mr.grad"(%arg0, %2, %arg1) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<2xf64>, tensor<f64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>)
    return %1#1, %1#2, %3#1, %3#2 : tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>
  }
}
