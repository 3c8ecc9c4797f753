module @diloco attributes {mr.placements = {clients = 3 : i64}} {
  func.func private @differentiated_0(%arg0: tensor<1xf64>, %arg1: tensor<1xf64>, %arg2: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %3 = stablehlo.subtract %1, %2 : tensor<f64>
    %4 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %5 = stablehlo.multiply %4, %3 : tensor<f64>
    %6 = stablehlo.multiply %5, %3 : tensor<f64>
    return %6 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<3x2xf64>, tensor<3xf64>) {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %1 = stablehlo.slice %arg0 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %2 = "mr.broadcast"(%0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %3 = "mr.broadcast"(%1) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %9 = "mr.broadcast"(%7) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %10 = "mr.broadcast"(%8) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %11 = "mr.broadcast"(%5) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %12 = "mr.broadcast"(%6) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %13 = "mr.broadcast"(%4) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %14 = "mr.broadcast"(%4) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %15 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = "mr.broadcast"(%18) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %20 = stablehlo.constant dense<0> : tensor<i32>
    %21:15 = stablehlo.while(%arg2 = %20, %arg3 = %0, %arg4 = %1, %arg5 = %2, %arg6 = %3, %arg7 = %9, %arg8 = %10, %arg9 = %11, %arg10 = %12, %arg11 = %13, %arg12 = %14, %arg13 = %16, %arg14 = %17, %arg15 = %15, %arg16 = %19) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    cond {
      %22 = stablehlo.constant dense<7> : tensor<i32>
      %23 = stablehlo.compare LT, %arg2, %22 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %23 : tensor<i1>
    } do {
      %24 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %25 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %26 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %27 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %28 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %29 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %30 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %31 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %32 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %33 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %34 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %35 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %36 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %37 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %38:9 = "mr.map"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg1) ({
      ^bb0(%arg17: tensor<1xf64>, %arg18: tensor<1xf64>, %arg19: tensor<1xf64>, %arg20: tensor<1xf64>, %arg21: tensor<1xf64>, %arg22: tensor<1xf64>, %arg23: tensor<f64>, %arg24: tensor<f64>, %arg25: tensor<2xf64>):
        %39:3 = "mr.grad"(%arg17, %arg18, %arg25) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
        %40 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
        %41 = stablehlo.multiply %40, %39#1 : tensor<1xf64>
        %42 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %43 = stablehlo.multiply %42, %arg19 : tensor<1xf64>
        %44 = stablehlo.add %43, %41 : tensor<1xf64>
        %45 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
        %46 = stablehlo.multiply %45, %39#2 : tensor<1xf64>
        %47 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %48 = stablehlo.multiply %47, %arg20 : tensor<1xf64>
        %49 = stablehlo.add %48, %46 : tensor<1xf64>
        %50 = stablehlo.multiply %39#1, %39#1 : tensor<1xf64>
        %51 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
        %52 = stablehlo.multiply %51, %50 : tensor<1xf64>
        %53 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
        %54 = stablehlo.multiply %53, %arg21 : tensor<1xf64>
        %55 = stablehlo.add %54, %52 : tensor<1xf64>
        %56 = stablehlo.multiply %39#2, %39#2 : tensor<1xf64>
        %57 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
        %58 = stablehlo.multiply %57, %56 : tensor<1xf64>
        %59 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
        %60 = stablehlo.multiply %59, %arg22 : tensor<1xf64>
        %61 = stablehlo.add %60, %58 : tensor<1xf64>
        %62 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
        %63 = stablehlo.multiply %arg23, %62 : tensor<f64>
        %64 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
        %65 = stablehlo.multiply %arg24, %64 : tensor<f64>
        %66 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %67 = stablehlo.subtract %66, %65 : tensor<f64>
        %68 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %69 = stablehlo.divide %55, %68 : tensor<1xf64>
        %70 = stablehlo.sqrt %69 : tensor<1xf64>
        %71 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
        %72 = stablehlo.add %70, %71 : tensor<1xf64>
        %73 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %74 = stablehlo.subtract %73, %63 : tensor<f64>
        %75 = stablehlo.broadcast_in_dim %74, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %76 = stablehlo.divide %44, %75 : tensor<1xf64>
        %77 = stablehlo.divide %76, %72 : tensor<1xf64>
        %78 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %79 = stablehlo.subtract %78, %65 : tensor<f64>
        %80 = stablehlo.broadcast_in_dim %79, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %81 = stablehlo.divide %61, %80 : tensor<1xf64>
        %82 = stablehlo.sqrt %81 : tensor<1xf64>
        %83 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
        %84 = stablehlo.add %82, %83 : tensor<1xf64>
        %85 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %86 = stablehlo.subtract %85, %63 : tensor<f64>
        %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %88 = stablehlo.divide %49, %87 : tensor<1xf64>
        %89 = stablehlo.divide %88, %84 : tensor<1xf64>
        %90 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %91 = stablehlo.broadcast_in_dim %90, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %92 = stablehlo.multiply %91, %arg17 : tensor<1xf64>
        %93 = stablehlo.add %77, %92 : tensor<1xf64>
        %94 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %96 = stablehlo.multiply %95, %arg18 : tensor<1xf64>
        %97 = stablehlo.add %89, %96 : tensor<1xf64>
        %98 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
        %99 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %100 = stablehlo.multiply %99, %93 : tensor<1xf64>
        %101 = stablehlo.subtract %arg17, %100 : tensor<1xf64>
        %102 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
        %103 = stablehlo.broadcast_in_dim %102, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %104 = stablehlo.multiply %103, %97 : tensor<1xf64>
        %105 = stablehlo.subtract %arg18, %104 : tensor<1xf64>
        "mr.return"(%101, %105, %44, %49, %55, %61, %63, %65, %39#0) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<f64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x2xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
      %106 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.add %arg15, %106 : tensor<i32>
      %108 = stablehlo.constant dense<0> : tensor<i32>
      %109 = stablehlo.constant dense<3> : tensor<i32>
      %110 = stablehlo.remainder %107, %109 : tensor<i32>
      %111 = stablehlo.compare EQ, %110, %108 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %112:4 = "stablehlo.if"(%111) ({
        %113 = "mr.broadcast"(%arg3) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
        %114 = "mr.broadcast"(%arg4) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
        %115:2 = "mr.map"(%38#0, %38#1, %113, %114) ({
        ^bb0(%arg26: tensor<1xf64>, %arg27: tensor<1xf64>, %arg28: tensor<1xf64>, %arg29: tensor<1xf64>):
          %116 = stablehlo.subtract %arg28, %arg26 : tensor<1xf64>
          %117 = stablehlo.subtract %arg29, %arg27 : tensor<1xf64>
          "mr.return"(%116, %117) : (tensor<1xf64>, tensor<1xf64>) -> ()
        }) {in_axes = array<i64: 0, 0, 0, 0>, out_axes = array<i64: 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
        %118:2 = "mr.reduce_mean"(%115#0, %115#1) {placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
        %119 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %120 = stablehlo.multiply %119, %arg13 : tensor<1xf64>
        %121 = stablehlo.add %118#0, %120 : tensor<1xf64>
        %122 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %123 = stablehlo.multiply %122, %arg14 : tensor<1xf64>
        %124 = stablehlo.add %118#1, %123 : tensor<1xf64>
        %125 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %126 = stablehlo.multiply %125, %121 : tensor<1xf64>
        %127 = stablehlo.add %118#0, %126 : tensor<1xf64>
        %128 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %129 = stablehlo.multiply %128, %124 : tensor<1xf64>
        %130 = stablehlo.add %118#1, %129 : tensor<1xf64>
        %131 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
        %132 = stablehlo.broadcast_in_dim %131, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %133 = stablehlo.multiply %132, %127 : tensor<1xf64>
        %134 = stablehlo.subtract %arg3, %133 : tensor<1xf64>
        %135 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
        %136 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %137 = stablehlo.multiply %136, %130 : tensor<1xf64>
        %138 = stablehlo.subtract %arg4, %137 : tensor<1xf64>
        stablehlo.return %134, %138, %121, %124 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
      }, {
        stablehlo.return %arg3, %arg4, %arg13, %arg14 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
      }) : (tensor<i1>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
      %139 = "mr.broadcast"(%111) {placement = "clients"} : (tensor<i1>) -> tensor<3xi1>
      %140 = "mr.broadcast"(%112#0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %141 = "mr.broadcast"(%112#1) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %142:2 = "mr.map"(%38#0, %38#1, %139, %140, %141) ({
      ^bb0(%arg30: tensor<1xf64>, %arg31: tensor<1xf64>, %arg32: tensor<i1>, %arg33: tensor<1xf64>, %arg34: tensor<1xf64>):
        %143 = stablehlo.broadcast_in_dim %arg32, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %144 = stablehlo.select %143, %arg33, %arg30 : tensor<1xi1>, tensor<1xf64>
        %145 = stablehlo.broadcast_in_dim %arg32, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %146 = stablehlo.select %145, %arg34, %arg31 : tensor<1xi1>, tensor<1xf64>
        "mr.return"(%144, %146) : (tensor<1xf64>, tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xi1>, tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
      %147 = stablehlo.constant dense<1> : tensor<i32>
      %148 = stablehlo.add %arg2, %147 : tensor<i32>
      stablehlo.return %148, %112#0, %112#1, %142#0, %142#1, %38#2, %38#3, %38#4, %38#5, %38#6, %38#7, %112#2, %112#3, %107, %38#8 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    }
    %149 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %150 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %151 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %152 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %153 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %154 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %155 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %156 = stablehlo.concatenate %21#1, %21#2, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %157 = stablehlo.concatenate %21#3, %21#4, dim = 1 : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x2xf64>
    return %156, %157, %21#14 : tensor<2xf64>, tensor<3x2xf64>, tensor<3xf64>
  }
}
