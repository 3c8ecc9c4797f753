module @fed_sgd attributes {mr.placements = {clients = 3 : i64}} {
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
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<f64>, tensor<f64>, tensor<f64>) {
    %0:2 = "mr.grad"(%arg0, %arg1) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>)
    %1 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %3 = stablehlo.multiply %2, %0#1 : tensor<2xf64>
    %4 = stablehlo.subtract %arg0, %3 : tensor<2xf64>
    %5 = "mr.broadcast"(%4) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %6 = "mr.map"(%arg1, %5) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %7 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %9 = stablehlo.subtract %7, %8 : tensor<f64>
      %10 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %11 = stablehlo.multiply %10, %9 : tensor<f64>
      %12 = stablehlo.multiply %11, %9 : tensor<f64>
      "mr.return"(%12) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %13 = "mr.reduce_mean"(%6) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %14:2 = "mr.grad"(%4, %arg1) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>)
    %15 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %17 = stablehlo.multiply %16, %14#1 : tensor<2xf64>
    %18 = stablehlo.subtract %4, %17 : tensor<2xf64>
    %19 = "mr.broadcast"(%18) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %20 = "mr.map"(%arg1, %19) ({
    ^bb0(%arg4: tensor<2xf64>, %arg5: tensor<2xf64>):
      %21 = stablehlo.dot_general %arg5, %arg4, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %22 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %23 = stablehlo.subtract %21, %22 : tensor<f64>
      %24 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %25 = stablehlo.multiply %24, %23 : tensor<f64>
      %26 = stablehlo.multiply %25, %23 : tensor<f64>
      "mr.return"(%26) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %27 = "mr.reduce_mean"(%20) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %28:2 = "mr.grad"(%18, %arg1) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>)
    %29 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %31 = stablehlo.multiply %30, %28#1 : tensor<2xf64>
    %32 = stablehlo.subtract %18, %31 : tensor<2xf64>
    %33 = "mr.broadcast"(%32) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %34 = "mr.map"(%arg1, %33) ({
    ^bb0(%arg6: tensor<2xf64>, %arg7: tensor<2xf64>):
      %35 = stablehlo.dot_general %arg7, %arg6, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %36 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %37 = stablehlo.subtract %35, %36 : tensor<f64>
      %38 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %39 = stablehlo.multiply %38, %37 : tensor<f64>
      %40 = stablehlo.multiply %39, %37 : tensor<f64>
      "mr.return"(%40) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %41 = "mr.reduce_mean"(%34) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %4, %13, %27, %41 : tensor<2xf64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
}
