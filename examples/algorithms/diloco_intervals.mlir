module @diloco_intervals attributes {mr.placements = {clients = 3 : i64}} {
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
    %2 = stablehlo.reshape %arg1 : (tensor<3x2xf64>) -> tensor<3x1x2xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<3x1x2xf64>) -> tensor<3x3x2xf64>
    %4 = "mr.broadcast"(%0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %5 = "mr.broadcast"(%1) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %11 = "mr.broadcast"(%9) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %12 = "mr.broadcast"(%10) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %13 = "mr.broadcast"(%7) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %14 = "mr.broadcast"(%8) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
    %15 = "mr.broadcast"(%6) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %16 = "mr.broadcast"(%6) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %19 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %21 = "mr.broadcast"(%20) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %22 = stablehlo.constant dense<0> : tensor<i32>
    %23:15 = stablehlo.while(%arg2 = %22, %arg3 = %0, %arg4 = %1, %arg5 = %4, %arg6 = %5, %arg7 = %11, %arg8 = %12, %arg9 = %13, %arg10 = %14, %arg11 = %15, %arg12 = %16, %arg13 = %18, %arg14 = %19, %arg15 = %17, %arg16 = %21) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    cond {
      %24 = stablehlo.constant dense<2> : tensor<i32>
      %25 = stablehlo.compare LT, %arg2, %24 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    } do {
      %26 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %27 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %28 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %29 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %30 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %31 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %32 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %33 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %34 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %35 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %36 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %37 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %38 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %39 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %40 = stablehlo.constant dense<0> : tensor<i32>
      %41 = stablehlo.compare GT, %arg15, %40 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %42:9 = "mr.map"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %3) ({
      ^bb0(%arg17: tensor<1xf64>, %arg18: tensor<1xf64>, %arg19: tensor<1xf64>, %arg20: tensor<1xf64>, %arg21: tensor<1xf64>, %arg22: tensor<1xf64>, %arg23: tensor<f64>, %arg24: tensor<f64>, %arg25: tensor<3x2xf64>):
        %43 = stablehlo.slice %arg25 [0:3, 0:2] : (tensor<3x2xf64>) -> tensor<3x2xf64>
        %44 = stablehlo.constant dense<0> : tensor<i32>
        %45 = stablehlo.constant dense<0.000000e+00> : tensor<3xf64>
        %46:10 = stablehlo.while(%arg26 = %44, %arg27 = %arg17, %arg28 = %arg18, %arg29 = %arg19, %arg30 = %arg20, %arg31 = %arg21, %arg32 = %arg22, %arg33 = %arg23, %arg34 = %arg24, %arg35 = %45) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<3xf64>
        cond {
          %47 = stablehlo.constant dense<3> : tensor<i32>
          %48 = stablehlo.compare LT, %arg26, %47 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %48 : tensor<i1>
        } do {
          %49 = stablehlo.constant dense<0> : tensor<i32>
          %50 = stablehlo.dynamic_slice %43, %arg26, %49, sizes = [1, 2] : (tensor<3x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
          %51 = stablehlo.reshape %50 : (tensor<1x2xf64>) -> tensor<2xf64>
          %52:3 = "mr.grad"(%arg27, %arg28, %51) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
          %53 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %54 = stablehlo.multiply %53, %52#1 : tensor<1xf64>
          %55 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %56 = stablehlo.multiply %55, %arg29 : tensor<1xf64>
          %57 = stablehlo.add %56, %54 : tensor<1xf64>
          %58 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %59 = stablehlo.multiply %58, %52#2 : tensor<1xf64>
          %60 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %61 = stablehlo.multiply %60, %arg30 : tensor<1xf64>
          %62 = stablehlo.add %61, %59 : tensor<1xf64>
          %63 = stablehlo.multiply %52#1, %52#1 : tensor<1xf64>
          %64 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %65 = stablehlo.multiply %64, %63 : tensor<1xf64>
          %66 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %67 = stablehlo.multiply %66, %arg31 : tensor<1xf64>
          %68 = stablehlo.add %67, %65 : tensor<1xf64>
          %69 = stablehlo.multiply %52#2, %52#2 : tensor<1xf64>
          %70 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %71 = stablehlo.multiply %70, %69 : tensor<1xf64>
          %72 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %73 = stablehlo.multiply %72, %arg32 : tensor<1xf64>
          %74 = stablehlo.add %73, %71 : tensor<1xf64>
          %75 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
          %76 = stablehlo.multiply %arg33, %75 : tensor<f64>
          %77 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
          %78 = stablehlo.multiply %arg34, %77 : tensor<f64>
          %79 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %80 = stablehlo.subtract %79, %78 : tensor<f64>
          %81 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %82 = stablehlo.divide %68, %81 : tensor<1xf64>
          %83 = stablehlo.sqrt %82 : tensor<1xf64>
          %84 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %85 = stablehlo.add %83, %84 : tensor<1xf64>
          %86 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %87 = stablehlo.subtract %86, %76 : tensor<f64>
          %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %89 = stablehlo.divide %57, %88 : tensor<1xf64>
          %90 = stablehlo.divide %89, %85 : tensor<1xf64>
          %91 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %92 = stablehlo.subtract %91, %78 : tensor<f64>
          %93 = stablehlo.broadcast_in_dim %92, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %94 = stablehlo.divide %74, %93 : tensor<1xf64>
          %95 = stablehlo.sqrt %94 : tensor<1xf64>
          %96 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %97 = stablehlo.add %95, %96 : tensor<1xf64>
          %98 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %99 = stablehlo.subtract %98, %76 : tensor<f64>
          %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %101 = stablehlo.divide %62, %100 : tensor<1xf64>
          %102 = stablehlo.divide %101, %97 : tensor<1xf64>
          %103 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %104 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %105 = stablehlo.multiply %104, %arg27 : tensor<1xf64>
          %106 = stablehlo.add %90, %105 : tensor<1xf64>
          %107 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %108 = stablehlo.broadcast_in_dim %107, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %109 = stablehlo.multiply %108, %arg28 : tensor<1xf64>
          %110 = stablehlo.add %102, %109 : tensor<1xf64>
          %111 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %112 = stablehlo.broadcast_in_dim %111, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %113 = stablehlo.multiply %112, %106 : tensor<1xf64>
          %114 = stablehlo.subtract %arg27, %113 : tensor<1xf64>
          %115 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %116 = stablehlo.broadcast_in_dim %115, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %117 = stablehlo.multiply %116, %110 : tensor<1xf64>
          %118 = stablehlo.subtract %arg28, %117 : tensor<1xf64>
          %119 = stablehlo.constant dense<1> : tensor<i32>
          %120 = stablehlo.add %arg26, %119 : tensor<i32>
          %121 = stablehlo.reshape %52#0 : (tensor<f64>) -> tensor<1xf64>
          %122 = stablehlo.dynamic_update_slice %arg35, %121, %arg26 : (tensor<3xf64>, tensor<1xf64>, tensor<i32>) -> tensor<3xf64>
          stablehlo.return %120, %114, %118, %57, %62, %68, %74, %76, %78, %122 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<3xf64>
        }
        "mr.return"(%46#1, %46#2, %46#3, %46#4, %46#5, %46#6, %46#7, %46#8, %46#9) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<3xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x3x2xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x3xf64>)
      %123 = stablehlo.constant dense<3> : tensor<i32>
      %124 = stablehlo.add %arg15, %123 : tensor<i32>
      %125 = "mr.broadcast"(%arg3) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %126 = "mr.broadcast"(%arg4) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %127:2 = "mr.map"(%42#0, %42#1, %125, %126) ({
      ^bb0(%arg36: tensor<1xf64>, %arg37: tensor<1xf64>, %arg38: tensor<1xf64>, %arg39: tensor<1xf64>):
        %128 = stablehlo.subtract %arg38, %arg36 : tensor<1xf64>
        %129 = stablehlo.subtract %arg39, %arg37 : tensor<1xf64>
        "mr.return"(%128, %129) : (tensor<1xf64>, tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0>, out_axes = array<i64: 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
      %130:2 = "mr.reduce_mean"(%127#0, %127#1) {placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
      %131 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %132 = stablehlo.multiply %131, %arg13 : tensor<1xf64>
      %133 = stablehlo.add %130#0, %132 : tensor<1xf64>
      %134 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %135 = stablehlo.multiply %134, %arg14 : tensor<1xf64>
      %136 = stablehlo.add %130#1, %135 : tensor<1xf64>
      %137 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %138 = stablehlo.multiply %137, %133 : tensor<1xf64>
      %139 = stablehlo.add %130#0, %138 : tensor<1xf64>
      %140 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %141 = stablehlo.multiply %140, %136 : tensor<1xf64>
      %142 = stablehlo.add %130#1, %141 : tensor<1xf64>
      %143 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
      %144 = stablehlo.broadcast_in_dim %143, dims = [] : (tensor<f64>) -> tensor<1xf64>
      %145 = stablehlo.multiply %144, %139 : tensor<1xf64>
      %146 = stablehlo.subtract %arg3, %145 : tensor<1xf64>
      %147 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
      %148 = stablehlo.broadcast_in_dim %147, dims = [] : (tensor<f64>) -> tensor<1xf64>
      %149 = stablehlo.multiply %148, %142 : tensor<1xf64>
      %150 = stablehlo.subtract %arg4, %149 : tensor<1xf64>
      %151 = stablehlo.constant dense<true> : tensor<i1>
      %152 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %153 = stablehlo.select %152, %146, %arg3 : tensor<1xi1>, tensor<1xf64>
      %154 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %155 = stablehlo.select %154, %150, %arg4 : tensor<1xi1>, tensor<1xf64>
      %156 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %157 = stablehlo.select %156, %133, %arg13 : tensor<1xi1>, tensor<1xf64>
      %158 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %159 = stablehlo.select %158, %136, %arg14 : tensor<1xi1>, tensor<1xf64>
      %160 = "mr.broadcast"(%151) {placement = "clients"} : (tensor<i1>) -> tensor<3xi1>
      %161 = "mr.broadcast"(%153) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %162 = "mr.broadcast"(%155) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %163:2 = "mr.map"(%42#0, %42#1, %160, %161, %162) ({
      ^bb0(%arg40: tensor<1xf64>, %arg41: tensor<1xf64>, %arg42: tensor<i1>, %arg43: tensor<1xf64>, %arg44: tensor<1xf64>):
        %164 = stablehlo.broadcast_in_dim %arg42, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %165 = stablehlo.select %164, %arg43, %arg40 : tensor<1xi1>, tensor<1xf64>
        %166 = stablehlo.broadcast_in_dim %arg42, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %167 = stablehlo.select %166, %arg44, %arg41 : tensor<1xi1>, tensor<1xf64>
        "mr.return"(%165, %167) : (tensor<1xf64>, tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xi1>, tensor<3x1xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
      %168 = "mr.map"(%42#8) ({
      ^bb0(%arg45: tensor<3xf64>):
        %169 = stablehlo.slice %arg45 [2:3] : (tensor<3xf64>) -> tensor<1xf64>
        %170 = stablehlo.reshape %169 : (tensor<1xf64>) -> tensor<f64>
        "mr.return"(%170) : (tensor<f64>) -> ()
      }) {in_axes = array<i64: 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x3xf64>) -> tensor<3xf64>
      %171 = stablehlo.constant dense<1> : tensor<i32>
      %172 = stablehlo.add %arg2, %171 : tensor<i32>
      stablehlo.return %172, %153, %155, %163#0, %163#1, %42#2, %42#3, %42#4, %42#5, %42#6, %42#7, %157, %159, %124, %168 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    }
    %173 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %174 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %175 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %176 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %177 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %178 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %179 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %180 = stablehlo.concatenate %23#1, %23#2, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %181 = stablehlo.concatenate %23#3, %23#4, dim = 1 : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x2xf64>
    return %180, %181, %23#14 : tensor<2xf64>, tensor<3x2xf64>, tensor<3xf64>
  }
}
