module @self_tuning_server_rate attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_1(%arg0: tensor<f64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>, %arg3: tensor<3x2xf64>) -> tensor<f64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.multiply %0, %arg1 : tensor<2xf64>
    %2 = stablehlo.add %arg2, %1 : tensor<2xf64>
    %3 = "mr.broadcast"(%2) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %4 = "mr.map"(%arg3, %3) ({
    ^bb0(%arg4: tensor<2xf64>, %arg5: tensor<2xf64>):
      %5 = stablehlo.dot_general %arg5, %arg4, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %7 = stablehlo.subtract %5, %6 : tensor<f64>
      %8 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %9 = stablehlo.multiply %8, %7 : tensor<f64>
      %10 = stablehlo.multiply %9, %7 : tensor<f64>
      "mr.return"(%10) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %11 = "mr.reduce_mean"(%4) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %11 : tensor<f64>
  }
  func.func private @differentiated_2(%arg0: tensor<f64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>, %arg3: tensor<3x2xf64>) -> tensor<f64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.multiply %0, %arg1 : tensor<2xf64>
    %2 = stablehlo.add %arg2, %1 : tensor<2xf64>
    %3 = "mr.broadcast"(%2) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %4 = "mr.map"(%arg3, %3) ({
    ^bb0(%arg4: tensor<2xf64>, %arg5: tensor<2xf64>):
      %5 = stablehlo.dot_general %arg5, %arg4, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %7 = stablehlo.subtract %5, %6 : tensor<f64>
      %8 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %9 = stablehlo.multiply %8, %7 : tensor<f64>
      %10 = stablehlo.multiply %9, %7 : tensor<f64>
      "mr.return"(%10) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %11 = "mr.reduce_mean"(%4) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %11 : tensor<f64>
  }
  func.func private @differentiated_3(%arg0: tensor<f64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>, %arg3: tensor<3x2xf64>) -> tensor<f64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.multiply %0, %arg1 : tensor<2xf64>
    %2 = stablehlo.add %arg2, %1 : tensor<2xf64>
    %3 = "mr.broadcast"(%2) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %4 = "mr.map"(%arg3, %3) ({
    ^bb0(%arg4: tensor<2xf64>, %arg5: tensor<2xf64>):
      %5 = stablehlo.dot_general %arg5, %arg4, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %7 = stablehlo.subtract %5, %6 : tensor<f64>
      %8 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %9 = stablehlo.multiply %8, %7 : tensor<f64>
      %10 = stablehlo.multiply %9, %7 : tensor<f64>
      "mr.return"(%10) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %11 = "mr.reduce_mean"(%4) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %11 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
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
        %6:2 = "mr.grad"(%arg5, %arg2) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %7 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %9 = stablehlo.multiply %8, %6#1 : tensor<2xf64>
        %10 = stablehlo.subtract %arg5, %9 : tensor<2xf64>
        %11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %arg4, %11 : tensor<i32>
        stablehlo.return %12, %10 : tensor<i32>, tensor<2xf64>
      }
      %13 = stablehlo.subtract %3#1, %arg3 : tensor<2xf64>
      "mr.return"(%13) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %14 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16:2 = "mr.grad"(%15, %14, %arg0, %arg1) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>)
    %17 = stablehlo.constant dense<1.000000e-03> : tensor<f64>
    %18 = stablehlo.multiply %17, %16#1 : tensor<f64>
    %19 = stablehlo.subtract %15, %18 : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %21 = stablehlo.multiply %20, %14 : tensor<2xf64>
    %22 = stablehlo.add %arg0, %21 : tensor<2xf64>
    %23:2 = "mr.grad"(%19, %14, %arg0, %arg1) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>)
    %24 = stablehlo.constant dense<1.000000e-03> : tensor<f64>
    %25 = stablehlo.multiply %24, %23#1 : tensor<f64>
    %26 = stablehlo.subtract %19, %25 : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %28 = stablehlo.multiply %27, %14 : tensor<2xf64>
    %29 = stablehlo.add %arg0, %28 : tensor<2xf64>
    %30:2 = "mr.grad"(%26, %14, %arg0, %arg1) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>)
    %31 = stablehlo.constant dense<1.000000e-03> : tensor<f64>
    %32 = stablehlo.multiply %31, %30#1 : tensor<f64>
    %33 = stablehlo.subtract %26, %32 : tensor<f64>
    %34 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %35 = stablehlo.multiply %34, %14 : tensor<2xf64>
    %36 = stablehlo.add %arg0, %35 : tensor<2xf64>
    return %14, %16#1, %19, %26, %33 : tensor<2xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
}
