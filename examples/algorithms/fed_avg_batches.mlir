module @fed_avg_batches attributes {mr.placements = {clients = 3 : i64}} {
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
  func.func private @differentiated_2(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
    %0 = stablehlo.reshape %arg1 : (tensor<3x2xf64>) -> tensor<3x1x2xf64>
    %1 = stablehlo.negate %arg1 : tensor<3x2xf64>
    %2 = stablehlo.reshape %1 : (tensor<3x2xf64>) -> tensor<3x1x2xf64>
    %3 = stablehlo.concatenate %0, %2, dim = 1 : (tensor<3x1x2xf64>, tensor<3x1x2xf64>) -> tensor<3x2x2xf64>
    %4 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %5 = "mr.map"(%3, %4) ({
    ^bb0(%arg2: tensor<2x2xf64>, %arg3: tensor<2xf64>):
      %6 = stablehlo.constant dense<0> : tensor<i32>
      %7:2 = stablehlo.while(%arg4 = %6, %arg5 = %arg3) : tensor<i32>, tensor<2xf64>
      cond {
        %8 = stablehlo.constant dense<2> : tensor<i32>
        %9 = stablehlo.compare LT, %arg4, %8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      } do {
        %10 = stablehlo.constant dense<0> : tensor<i32>
        %11 = stablehlo.dynamic_slice %arg2, %arg4, %10, sizes = [1, 2] : (tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
        %12 = stablehlo.reshape %11 : (tensor<1x2xf64>) -> tensor<2xf64>
        %13:2 = "mr.grad"(%arg5, %12) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %14 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %16 = stablehlo.multiply %15, %13#1 : tensor<2xf64>
        %17 = stablehlo.subtract %arg5, %16 : tensor<2xf64>
        %18 = stablehlo.constant dense<1> : tensor<i32>
        %19 = stablehlo.add %arg4, %18 : tensor<i32>
        stablehlo.return %19, %17 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%7#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %20 = "mr.reduce_mean"(%5) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %21 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %22 = "mr.map"(%3, %21) ({
    ^bb0(%arg6: tensor<2x2xf64>, %arg7: tensor<2xf64>):
      %23 = stablehlo.slice %arg6 [0:1, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
      %24 = stablehlo.reshape %23 : (tensor<1x2xf64>) -> tensor<2xf64>
      %25:2 = "mr.grad"(%arg7, %24) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
      %26 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
      %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %28 = stablehlo.multiply %27, %25#1 : tensor<2xf64>
      %29 = stablehlo.subtract %arg7, %28 : tensor<2xf64>
      %30 = stablehlo.slice %arg6 [1:2, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
      %31 = stablehlo.reshape %30 : (tensor<1x2xf64>) -> tensor<2xf64>
      %32:2 = "mr.grad"(%29, %31) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
      %33 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
      %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %35 = stablehlo.multiply %34, %32#1 : tensor<2xf64>
      %36 = stablehlo.subtract %29, %35 : tensor<2xf64>
      "mr.return"(%36) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %37 = "mr.reduce_mean"(%22) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %38 = stablehlo.subtract %20, %37 : tensor<2xf64>
    return %20, %38 : tensor<2xf64>, tensor<2xf64>
  }
}
