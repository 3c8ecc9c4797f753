module @rate_sweep attributes {mr.placements = {clients = 3 : i64, rates = 5 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%arg1, %0) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %2 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %4 = stablehlo.subtract %2, %3 : tensor<f64>
      %5 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %6 = stablehlo.multiply %5, %4 : tensor<f64>
      %7 = stablehlo.multiply %6, %4 : tensor<f64>
      "mr.return"(%7) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %8 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %8 : tensor<f64>
  }
  func.func private @differentiated_1(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%arg1, %0) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %2 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %4 = stablehlo.subtract %2, %3 : tensor<f64>
      %5 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %6 = stablehlo.multiply %5, %4 : tensor<f64>
      %7 = stablehlo.multiply %6, %4 : tensor<f64>
      "mr.return"(%7) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %8 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %8 : tensor<f64>
  }
  func.func private @differentiated_2(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.map"(%arg1, %0) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %2 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %4 = stablehlo.subtract %2, %3 : tensor<f64>
      %5 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %6 = stablehlo.multiply %5, %4 : tensor<f64>
      %7 = stablehlo.multiply %6, %4 : tensor<f64>
      "mr.return"(%7) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %8 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %8 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>, %arg2: tensor<5xf64>) -> (tensor<5xf64>, tensor<f64>) {
    %0 = "mr.broadcast"(%arg0) {placement = "rates"} : (tensor<2xf64>) -> tensor<5x2xf64>
    %1 = "mr.broadcast"(%arg1) {placement = "rates"} : (tensor<3x2xf64>) -> tensor<5x3x2xf64>
    %2:2 = "mr.map"(%arg2, %0, %1) ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<2xf64>, %arg5: tensor<3x2xf64>):
      %3:2 = "mr.grad"(%arg4, %arg5) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>)
      %4 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %5 = stablehlo.multiply %4, %3#1 : tensor<2xf64>
      %6 = stablehlo.subtract %arg4, %5 : tensor<2xf64>
      %7:2 = "mr.grad"(%6, %arg5) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>)
      %8 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %9 = stablehlo.multiply %8, %7#1 : tensor<2xf64>
      %10 = stablehlo.subtract %6, %9 : tensor<2xf64>
      %11:2 = "mr.grad"(%10, %arg5) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>)
      %12 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %13 = stablehlo.multiply %12, %11#1 : tensor<2xf64>
      %14 = stablehlo.subtract %10, %13 : tensor<2xf64>
      %15 = "mr.broadcast"(%14) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
      %16 = "mr.map"(%arg5, %15) ({
      ^bb0(%arg6: tensor<2xf64>, %arg7: tensor<2xf64>):
        %17 = stablehlo.dot_general %arg7, %arg6, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
        %18 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %19 = stablehlo.subtract %17, %18 : tensor<f64>
        %20 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
        %21 = stablehlo.multiply %20, %19 : tensor<f64>
        %22 = stablehlo.multiply %21, %19 : tensor<f64>
        "mr.return"(%22) : (tensor<f64>) -> ()
      }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
      %23 = "mr.reduce_mean"(%16) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
      "mr.return"(%23, %14) : (tensor<f64>, tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0>, placement = "rates"} : (tensor<5xf64>, tensor<5x2xf64>, tensor<5x3x2xf64>) -> (tensor<5xf64>, tensor<5x2xf64>)
    %24 = "mr.reduce_min"(%2#0) {placement = "rates"} : (tensor<5xf64>) -> tensor<f64>
    return %2#0, %24 : tensor<5xf64>, tensor<f64>
  }
}
