module @self_tuning_local_rate attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_1(%arg0: tensor<f64>, %arg1: tensor<2xf64>, %arg2: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg1) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
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
  func.func private @differentiated_3(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_4(%arg0: tensor<f64>, %arg1: tensor<2xf64>, %arg2: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg1) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %2 = "mr.map"(%arg2, %0, %1) ({
    ^bb0(%arg3: tensor<2xf64>, %arg4: tensor<2xf64>, %arg5: tensor<f64>):
      %3 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%arg6 = %3, %arg7 = %arg4) : tensor<i32>, tensor<2xf64>
      cond {
        %5 = stablehlo.constant dense<3> : tensor<i32>
        %6 = stablehlo.compare LT, %arg6, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %6 : tensor<i1>
      } do {
        %7:2 = "mr.grad"(%arg7, %arg3) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
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
  func.func private @differentiated_5(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_6(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @differentiated_7(%arg0: tensor<f64>, %arg1: tensor<2xf64>, %arg2: tensor<3x2xf64>) -> tensor<f64> {
    %0 = "mr.broadcast"(%arg1) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %1 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %2 = "mr.map"(%arg2, %0, %1) ({
    ^bb0(%arg3: tensor<2xf64>, %arg4: tensor<2xf64>, %arg5: tensor<f64>):
      %3 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%arg6 = %3, %arg7 = %arg4) : tensor<i32>, tensor<2xf64>
      cond {
        %5 = stablehlo.constant dense<3> : tensor<i32>
        %6 = stablehlo.compare LT, %arg6, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %6 : tensor<i1>
      } do {
        %7:2 = "mr.grad"(%arg7, %arg3) {callee = @differentiated_6, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
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
  func.func private @differentiated_8(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
    %0 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %1:2 = "mr.grad"(%0, %arg0, %arg1) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<f64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>)
    %2 = stablehlo.constant dense<1.000000e-06> : tensor<f64>
    %3 = stablehlo.multiply %2, %1#1 : tensor<f64>
    %4 = stablehlo.subtract %0, %3 : tensor<f64>
    %5 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %6 = "mr.broadcast"(%0) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %7 = "mr.map"(%arg1, %5, %6) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>, %arg4: tensor<f64>):
      %8 = stablehlo.constant dense<0> : tensor<i32>
      %9:2 = stablehlo.while(%arg5 = %8, %arg6 = %arg3) : tensor<i32>, tensor<2xf64>
      cond {
        %10 = stablehlo.constant dense<3> : tensor<i32>
        %11 = stablehlo.compare LT, %arg5, %10 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %12:2 = "mr.grad"(%arg6, %arg2) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %14 = stablehlo.multiply %13, %12#1 : tensor<2xf64>
        %15 = stablehlo.subtract %arg6, %14 : tensor<2xf64>
        %16 = stablehlo.constant dense<1> : tensor<i32>
        %17 = stablehlo.add %arg5, %16 : tensor<i32>
        stablehlo.return %17, %15 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%9#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
    %18 = "mr.reduce_mean"(%7) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %19:2 = "mr.grad"(%4, %18, %arg1) {callee = @differentiated_4, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<f64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>)
    %20 = stablehlo.constant dense<1.000000e-06> : tensor<f64>
    %21 = stablehlo.multiply %20, %19#1 : tensor<f64>
    %22 = stablehlo.subtract %4, %21 : tensor<f64>
    %23 = "mr.broadcast"(%18) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %24 = "mr.broadcast"(%4) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %25 = "mr.map"(%arg1, %23, %24) ({
    ^bb0(%arg7: tensor<2xf64>, %arg8: tensor<2xf64>, %arg9: tensor<f64>):
      %26 = stablehlo.constant dense<0> : tensor<i32>
      %27:2 = stablehlo.while(%arg10 = %26, %arg11 = %arg8) : tensor<i32>, tensor<2xf64>
      cond {
        %28 = stablehlo.constant dense<3> : tensor<i32>
        %29 = stablehlo.compare LT, %arg10, %28 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %29 : tensor<i1>
      } do {
        %30:2 = "mr.grad"(%arg11, %arg7) {callee = @differentiated_5, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %31 = stablehlo.broadcast_in_dim %arg9, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %32 = stablehlo.multiply %31, %30#1 : tensor<2xf64>
        %33 = stablehlo.subtract %arg11, %32 : tensor<2xf64>
        %34 = stablehlo.constant dense<1> : tensor<i32>
        %35 = stablehlo.add %arg10, %34 : tensor<i32>
        stablehlo.return %35, %33 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%27#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
    %36 = "mr.reduce_mean"(%25) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %37:2 = "mr.grad"(%22, %36, %arg1) {callee = @differentiated_7, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<f64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<f64>)
    %38 = stablehlo.constant dense<1.000000e-06> : tensor<f64>
    %39 = stablehlo.multiply %38, %37#1 : tensor<f64>
    %40 = stablehlo.subtract %22, %39 : tensor<f64>
    %41 = "mr.broadcast"(%36) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %42 = "mr.broadcast"(%22) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %43 = "mr.map"(%arg1, %41, %42) ({
    ^bb0(%arg12: tensor<2xf64>, %arg13: tensor<2xf64>, %arg14: tensor<f64>):
      %44 = stablehlo.constant dense<0> : tensor<i32>
      %45:2 = stablehlo.while(%arg15 = %44, %arg16 = %arg13) : tensor<i32>, tensor<2xf64>
      cond {
        %46 = stablehlo.constant dense<3> : tensor<i32>
        %47 = stablehlo.compare LT, %arg15, %46 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %47 : tensor<i1>
      } do {
        %48:2 = "mr.grad"(%arg16, %arg12) {callee = @differentiated_8, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %49 = stablehlo.broadcast_in_dim %arg14, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %50 = stablehlo.multiply %49, %48#1 : tensor<2xf64>
        %51 = stablehlo.subtract %arg16, %50 : tensor<2xf64>
        %52 = stablehlo.constant dense<1> : tensor<i32>
        %53 = stablehlo.add %arg15, %52 : tensor<i32>
        stablehlo.return %53, %51 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%45#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
    %54 = "mr.reduce_mean"(%43) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    return %1#0, %4, %19#0, %22, %37#0 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
}
