module @fed_avg attributes {mr.placements = {clients = 3 : i64}} {
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
  func.func private @differentiated_3(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<f64>, tensor<f64>, tensor<f64>) {
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
      "mr.return"(%3#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %13 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %14 = "mr.map"(%arg1, %13) ({
    ^bb0(%arg6: tensor<2xf64>, %arg7: tensor<2xf64>):
      %15 = stablehlo.constant dense<0> : tensor<i32>
      %16:2 = stablehlo.while(%arg8 = %15, %arg9 = %arg7) : tensor<i32>, tensor<2xf64>
      cond {
        %17 = stablehlo.constant dense<3> : tensor<i32>
        %18 = stablehlo.compare LT, %arg8, %17 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %18 : tensor<i1>
      } do {
        %19:2 = "mr.grad"(%arg9, %arg6) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %20 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %22 = stablehlo.multiply %21, %19#1 : tensor<2xf64>
        %23 = stablehlo.subtract %arg9, %22 : tensor<2xf64>
        %24 = stablehlo.constant dense<1> : tensor<i32>
        %25 = stablehlo.add %arg8, %24 : tensor<i32>
        stablehlo.return %25, %23 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%16#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %26 = "mr.reduce_mean"(%14) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %27 = "mr.broadcast"(%26) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %28 = "mr.map"(%arg1, %27) ({
    ^bb0(%arg10: tensor<2xf64>, %arg11: tensor<2xf64>):
      %29 = stablehlo.dot_general %arg11, %arg10, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %30 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %31 = stablehlo.subtract %29, %30 : tensor<f64>
      %32 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %33 = stablehlo.multiply %32, %31 : tensor<f64>
      %34 = stablehlo.multiply %33, %31 : tensor<f64>
      "mr.return"(%34) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %35 = "mr.reduce_mean"(%28) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %36 = "mr.broadcast"(%26) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %37 = "mr.map"(%arg1, %36) ({
    ^bb0(%arg12: tensor<2xf64>, %arg13: tensor<2xf64>):
      %38 = stablehlo.constant dense<0> : tensor<i32>
      %39:2 = stablehlo.while(%arg14 = %38, %arg15 = %arg13) : tensor<i32>, tensor<2xf64>
      cond {
        %40 = stablehlo.constant dense<3> : tensor<i32>
        %41 = stablehlo.compare LT, %arg14, %40 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %41 : tensor<i1>
      } do {
        %42:2 = "mr.grad"(%arg15, %arg12) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %43 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %45 = stablehlo.multiply %44, %42#1 : tensor<2xf64>
        %46 = stablehlo.subtract %arg15, %45 : tensor<2xf64>
        %47 = stablehlo.constant dense<1> : tensor<i32>
        %48 = stablehlo.add %arg14, %47 : tensor<i32>
        stablehlo.return %48, %46 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%39#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %49 = "mr.reduce_mean"(%37) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %50 = "mr.broadcast"(%49) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %51 = "mr.map"(%arg1, %50) ({
    ^bb0(%arg16: tensor<2xf64>, %arg17: tensor<2xf64>):
      %52 = stablehlo.dot_general %arg17, %arg16, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %53 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %54 = stablehlo.subtract %52, %53 : tensor<f64>
      %55 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %56 = stablehlo.multiply %55, %54 : tensor<f64>
      %57 = stablehlo.multiply %56, %54 : tensor<f64>
      "mr.return"(%57) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %58 = "mr.reduce_mean"(%51) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %59 = "mr.broadcast"(%49) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %60 = "mr.map"(%arg1, %59) ({
    ^bb0(%arg18: tensor<2xf64>, %arg19: tensor<2xf64>):
      %61 = stablehlo.constant dense<0> : tensor<i32>
      %62:2 = stablehlo.while(%arg20 = %61, %arg21 = %arg19) : tensor<i32>, tensor<2xf64>
      cond {
        %63 = stablehlo.constant dense<3> : tensor<i32>
        %64 = stablehlo.compare LT, %arg20, %63 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %64 : tensor<i1>
      } do {
        %65:2 = "mr.grad"(%arg21, %arg18) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %66 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %67 = stablehlo.broadcast_in_dim %66, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %68 = stablehlo.multiply %67, %65#1 : tensor<2xf64>
        %69 = stablehlo.subtract %arg21, %68 : tensor<2xf64>
        %70 = stablehlo.constant dense<1> : tensor<i32>
        %71 = stablehlo.add %arg20, %70 : tensor<i32>
        stablehlo.return %71, %69 : tensor<i32>, tensor<2xf64>
      }
      "mr.return"(%62#1) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %72 = "mr.reduce_mean"(%60) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %73 = "mr.broadcast"(%72) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %74 = "mr.map"(%arg1, %73) ({
    ^bb0(%arg22: tensor<2xf64>, %arg23: tensor<2xf64>):
      %75 = stablehlo.dot_general %arg23, %arg22, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %76 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %77 = stablehlo.subtract %75, %76 : tensor<f64>
      %78 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %79 = stablehlo.multiply %78, %77 : tensor<f64>
      %80 = stablehlo.multiply %79, %77 : tensor<f64>
      "mr.return"(%80) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %81 = "mr.reduce_mean"(%74) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %1, %26, %35, %58, %81 : tensor<3x2xf64>, tensor<2xf64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
}
