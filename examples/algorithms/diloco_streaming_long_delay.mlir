module @diloco_streaming_long_delay attributes {mr.placements = {clients = 3 : i64}} {
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
  func.func private @differentiated_1(%arg0: tensor<1xf64>, %arg1: tensor<1xf64>, %arg2: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %3 = stablehlo.subtract %1, %2 : tensor<f64>
    %4 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %5 = stablehlo.multiply %4, %3 : tensor<f64>
    %6 = stablehlo.multiply %5, %3 : tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @differentiated_2(%arg0: tensor<1xf64>, %arg1: tensor<1xf64>, %arg2: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %3 = stablehlo.subtract %1, %2 : tensor<f64>
    %4 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %5 = stablehlo.multiply %4, %3 : tensor<f64>
    %6 = stablehlo.multiply %5, %3 : tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @differentiated_3(%arg0: tensor<1xf64>, %arg1: tensor<1xf64>, %arg2: tensor<2xf64>) -> tensor<f64> {
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
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<3x1x2xf64>) -> tensor<3x4x2xf64>
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
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %21 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %22 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %23 = "mr.broadcast"(%22) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %24 = stablehlo.constant dense<0> : tensor<i32>
    %25:17 = stablehlo.while(%arg2 = %24, %arg3 = %0, %arg4 = %1, %arg5 = %4, %arg6 = %5, %arg7 = %11, %arg8 = %12, %arg9 = %13, %arg10 = %14, %arg11 = %15, %arg12 = %16, %arg13 = %18, %arg14 = %19, %arg15 = %20, %arg16 = %21, %arg17 = %17, %arg18 = %23) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    cond {
      %26 = stablehlo.constant dense<3> : tensor<i32>
      %27 = stablehlo.compare LT, %arg2, %26 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %27 : tensor<i1>
    } do {
      %28 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %29 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %30 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %31 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %32 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %33 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %34 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %35 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %36 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %37 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %38 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %39 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %40 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %41 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
      %42 = stablehlo.constant dense<0> : tensor<i32>
      %43 = stablehlo.compare GT, %arg17, %42 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %44 = "mr.broadcast"(%arg3) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %45 = "mr.map"(%arg5, %44) ({
      ^bb0(%arg19: tensor<1xf64>, %arg20: tensor<1xf64>):
        %46 = stablehlo.subtract %arg20, %arg19 : tensor<1xf64>
        "mr.return"(%46) : (tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
      %47 = "mr.reduce_mean"(%45) {placement = "clients"} : (tensor<3x1xf64>) -> tensor<1xf64>
      %48:3 = stablehlo.optimization_barrier %45, %arg5, %arg6 : tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>
      %49:9 = "mr.map"(%48#1, %48#2, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %3) ({
      ^bb0(%arg21: tensor<1xf64>, %arg22: tensor<1xf64>, %arg23: tensor<1xf64>, %arg24: tensor<1xf64>, %arg25: tensor<1xf64>, %arg26: tensor<1xf64>, %arg27: tensor<f64>, %arg28: tensor<f64>, %arg29: tensor<4x2xf64>):
        %50 = stablehlo.slice %arg29 [0:1, 0:2] : (tensor<4x2xf64>) -> tensor<1x2xf64>
        %51 = stablehlo.constant dense<0> : tensor<i32>
        %52 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
        %53:10 = stablehlo.while(%arg30 = %51, %arg31 = %arg21, %arg32 = %arg22, %arg33 = %arg23, %arg34 = %arg24, %arg35 = %arg25, %arg36 = %arg26, %arg37 = %arg27, %arg38 = %arg28, %arg39 = %52) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        cond {
          %54 = stablehlo.constant dense<1> : tensor<i32>
          %55 = stablehlo.compare LT, %arg30, %54 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %55 : tensor<i1>
        } do {
          %56 = stablehlo.constant dense<0> : tensor<i32>
          %57 = stablehlo.dynamic_slice %50, %arg30, %56, sizes = [1, 2] : (tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
          %58 = stablehlo.reshape %57 : (tensor<1x2xf64>) -> tensor<2xf64>
          %59:3 = "mr.grad"(%arg31, %arg32, %58) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
          %60 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %61 = stablehlo.multiply %60, %59#1 : tensor<1xf64>
          %62 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %63 = stablehlo.multiply %62, %arg33 : tensor<1xf64>
          %64 = stablehlo.add %63, %61 : tensor<1xf64>
          %65 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %66 = stablehlo.multiply %65, %59#2 : tensor<1xf64>
          %67 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %68 = stablehlo.multiply %67, %arg34 : tensor<1xf64>
          %69 = stablehlo.add %68, %66 : tensor<1xf64>
          %70 = stablehlo.multiply %59#1, %59#1 : tensor<1xf64>
          %71 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %72 = stablehlo.multiply %71, %70 : tensor<1xf64>
          %73 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %74 = stablehlo.multiply %73, %arg35 : tensor<1xf64>
          %75 = stablehlo.add %74, %72 : tensor<1xf64>
          %76 = stablehlo.multiply %59#2, %59#2 : tensor<1xf64>
          %77 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %78 = stablehlo.multiply %77, %76 : tensor<1xf64>
          %79 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %80 = stablehlo.multiply %79, %arg36 : tensor<1xf64>
          %81 = stablehlo.add %80, %78 : tensor<1xf64>
          %82 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
          %83 = stablehlo.multiply %arg37, %82 : tensor<f64>
          %84 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
          %85 = stablehlo.multiply %arg38, %84 : tensor<f64>
          %86 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %87 = stablehlo.subtract %86, %85 : tensor<f64>
          %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %89 = stablehlo.divide %75, %88 : tensor<1xf64>
          %90 = stablehlo.sqrt %89 : tensor<1xf64>
          %91 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %92 = stablehlo.add %90, %91 : tensor<1xf64>
          %93 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %94 = stablehlo.subtract %93, %83 : tensor<f64>
          %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %96 = stablehlo.divide %64, %95 : tensor<1xf64>
          %97 = stablehlo.divide %96, %92 : tensor<1xf64>
          %98 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %99 = stablehlo.subtract %98, %85 : tensor<f64>
          %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %101 = stablehlo.divide %81, %100 : tensor<1xf64>
          %102 = stablehlo.sqrt %101 : tensor<1xf64>
          %103 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %104 = stablehlo.add %102, %103 : tensor<1xf64>
          %105 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %106 = stablehlo.subtract %105, %83 : tensor<f64>
          %107 = stablehlo.broadcast_in_dim %106, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %108 = stablehlo.divide %69, %107 : tensor<1xf64>
          %109 = stablehlo.divide %108, %104 : tensor<1xf64>
          %110 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %111 = stablehlo.broadcast_in_dim %110, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %112 = stablehlo.multiply %111, %arg31 : tensor<1xf64>
          %113 = stablehlo.add %97, %112 : tensor<1xf64>
          %114 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %115 = stablehlo.broadcast_in_dim %114, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %116 = stablehlo.multiply %115, %arg32 : tensor<1xf64>
          %117 = stablehlo.add %109, %116 : tensor<1xf64>
          %118 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %119 = stablehlo.broadcast_in_dim %118, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %120 = stablehlo.multiply %119, %113 : tensor<1xf64>
          %121 = stablehlo.subtract %arg31, %120 : tensor<1xf64>
          %122 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %124 = stablehlo.multiply %123, %117 : tensor<1xf64>
          %125 = stablehlo.subtract %arg32, %124 : tensor<1xf64>
          %126 = stablehlo.constant dense<1> : tensor<i32>
          %127 = stablehlo.add %arg30, %126 : tensor<i32>
          %128 = stablehlo.reshape %59#0 : (tensor<f64>) -> tensor<1xf64>
          %129 = stablehlo.dynamic_update_slice %arg39, %128, %arg30 : (tensor<1xf64>, tensor<1xf64>, tensor<i32>) -> tensor<1xf64>
          stablehlo.return %127, %121, %125, %64, %69, %75, %81, %83, %85, %129 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        }
        "mr.return"(%53#1, %53#2, %53#3, %53#4, %53#5, %53#6, %53#7, %53#8, %53#9) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x4x2xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>)
      %130 = stablehlo.constant dense<1> : tensor<i32>
      %131 = stablehlo.add %arg17, %130 : tensor<i32>
      %132:2 = stablehlo.optimization_barrier %49#0, %49#1 : tensor<3x1xf64>, tensor<3x1xf64>
      %133 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %134 = stablehlo.multiply %133, %arg14 : tensor<1xf64>
      %135 = stablehlo.add %arg16, %134 : tensor<1xf64>
      %136 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %137 = stablehlo.multiply %136, %135 : tensor<1xf64>
      %138 = stablehlo.add %arg16, %137 : tensor<1xf64>
      %139 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
      %140 = stablehlo.broadcast_in_dim %139, dims = [] : (tensor<f64>) -> tensor<1xf64>
      %141 = stablehlo.multiply %140, %138 : tensor<1xf64>
      %142 = stablehlo.subtract %arg4, %141 : tensor<1xf64>
      %143 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %144 = stablehlo.select %143, %142, %arg4 : tensor<1xi1>, tensor<1xf64>
      %145 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %146 = stablehlo.select %145, %135, %arg14 : tensor<1xi1>, tensor<1xf64>
      %147 = "mr.broadcast"(%144) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %148 = "mr.broadcast"(%43) {placement = "clients"} : (tensor<i1>) -> tensor<3xi1>
      %149 = "mr.map"(%132#1, %147, %148) ({
      ^bb0(%arg40: tensor<1xf64>, %arg41: tensor<1xf64>, %arg42: tensor<i1>):
        %150 = stablehlo.constant dense<7.500000e-01> : tensor<1xf64>
        %151 = stablehlo.multiply %150, %arg41 : tensor<1xf64>
        %152 = stablehlo.constant dense<2.500000e-01> : tensor<1xf64>
        %153 = stablehlo.multiply %152, %arg40 : tensor<1xf64>
        %154 = stablehlo.add %153, %151 : tensor<1xf64>
        %155 = stablehlo.broadcast_in_dim %arg42, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %156 = stablehlo.select %155, %154, %arg40 : tensor<1xi1>, tensor<1xf64>
        "mr.return"(%156) : (tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xi1>) -> tensor<3x1xf64>
      %157:9 = "mr.map"(%132#0, %149, %49#2, %49#3, %49#4, %49#5, %49#6, %49#7, %3, %49#8) ({
      ^bb0(%arg43: tensor<1xf64>, %arg44: tensor<1xf64>, %arg45: tensor<1xf64>, %arg46: tensor<1xf64>, %arg47: tensor<1xf64>, %arg48: tensor<1xf64>, %arg49: tensor<f64>, %arg50: tensor<f64>, %arg51: tensor<4x2xf64>, %arg52: tensor<1xf64>):
        %158 = stablehlo.slice %arg51 [1:2, 0:2] : (tensor<4x2xf64>) -> tensor<1x2xf64>
        %159 = stablehlo.constant dense<0> : tensor<i32>
        %160 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
        %161:10 = stablehlo.while(%arg53 = %159, %arg54 = %arg43, %arg55 = %arg44, %arg56 = %arg45, %arg57 = %arg46, %arg58 = %arg47, %arg59 = %arg48, %arg60 = %arg49, %arg61 = %arg50, %arg62 = %160) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        cond {
          %162 = stablehlo.constant dense<1> : tensor<i32>
          %163 = stablehlo.compare LT, %arg53, %162 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %163 : tensor<i1>
        } do {
          %164 = stablehlo.constant dense<0> : tensor<i32>
          %165 = stablehlo.dynamic_slice %158, %arg53, %164, sizes = [1, 2] : (tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
          %166 = stablehlo.reshape %165 : (tensor<1x2xf64>) -> tensor<2xf64>
          %167:3 = "mr.grad"(%arg54, %arg55, %166) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
          %168 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %169 = stablehlo.multiply %168, %167#1 : tensor<1xf64>
          %170 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %171 = stablehlo.multiply %170, %arg56 : tensor<1xf64>
          %172 = stablehlo.add %171, %169 : tensor<1xf64>
          %173 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %174 = stablehlo.multiply %173, %167#2 : tensor<1xf64>
          %175 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %176 = stablehlo.multiply %175, %arg57 : tensor<1xf64>
          %177 = stablehlo.add %176, %174 : tensor<1xf64>
          %178 = stablehlo.multiply %167#1, %167#1 : tensor<1xf64>
          %179 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %180 = stablehlo.multiply %179, %178 : tensor<1xf64>
          %181 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %182 = stablehlo.multiply %181, %arg58 : tensor<1xf64>
          %183 = stablehlo.add %182, %180 : tensor<1xf64>
          %184 = stablehlo.multiply %167#2, %167#2 : tensor<1xf64>
          %185 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %186 = stablehlo.multiply %185, %184 : tensor<1xf64>
          %187 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %188 = stablehlo.multiply %187, %arg59 : tensor<1xf64>
          %189 = stablehlo.add %188, %186 : tensor<1xf64>
          %190 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
          %191 = stablehlo.multiply %arg60, %190 : tensor<f64>
          %192 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
          %193 = stablehlo.multiply %arg61, %192 : tensor<f64>
          %194 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %195 = stablehlo.subtract %194, %193 : tensor<f64>
          %196 = stablehlo.broadcast_in_dim %195, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %197 = stablehlo.divide %183, %196 : tensor<1xf64>
          %198 = stablehlo.sqrt %197 : tensor<1xf64>
          %199 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %200 = stablehlo.add %198, %199 : tensor<1xf64>
          %201 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %202 = stablehlo.subtract %201, %191 : tensor<f64>
          %203 = stablehlo.broadcast_in_dim %202, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %204 = stablehlo.divide %172, %203 : tensor<1xf64>
          %205 = stablehlo.divide %204, %200 : tensor<1xf64>
          %206 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %207 = stablehlo.subtract %206, %193 : tensor<f64>
          %208 = stablehlo.broadcast_in_dim %207, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %209 = stablehlo.divide %189, %208 : tensor<1xf64>
          %210 = stablehlo.sqrt %209 : tensor<1xf64>
          %211 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %212 = stablehlo.add %210, %211 : tensor<1xf64>
          %213 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %214 = stablehlo.subtract %213, %191 : tensor<f64>
          %215 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %216 = stablehlo.divide %177, %215 : tensor<1xf64>
          %217 = stablehlo.divide %216, %212 : tensor<1xf64>
          %218 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %219 = stablehlo.broadcast_in_dim %218, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %220 = stablehlo.multiply %219, %arg54 : tensor<1xf64>
          %221 = stablehlo.add %205, %220 : tensor<1xf64>
          %222 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %223 = stablehlo.broadcast_in_dim %222, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %224 = stablehlo.multiply %223, %arg55 : tensor<1xf64>
          %225 = stablehlo.add %217, %224 : tensor<1xf64>
          %226 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %227 = stablehlo.broadcast_in_dim %226, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %228 = stablehlo.multiply %227, %221 : tensor<1xf64>
          %229 = stablehlo.subtract %arg54, %228 : tensor<1xf64>
          %230 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %231 = stablehlo.broadcast_in_dim %230, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %232 = stablehlo.multiply %231, %225 : tensor<1xf64>
          %233 = stablehlo.subtract %arg55, %232 : tensor<1xf64>
          %234 = stablehlo.constant dense<1> : tensor<i32>
          %235 = stablehlo.add %arg53, %234 : tensor<i32>
          %236 = stablehlo.reshape %167#0 : (tensor<f64>) -> tensor<1xf64>
          %237 = stablehlo.dynamic_update_slice %arg62, %236, %arg53 : (tensor<1xf64>, tensor<1xf64>, tensor<i32>) -> tensor<1xf64>
          stablehlo.return %235, %229, %233, %172, %177, %183, %189, %191, %193, %237 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        }
        %238 = stablehlo.concatenate %arg52, %161#9, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
        "mr.return"(%161#1, %161#2, %161#3, %161#4, %161#5, %161#6, %161#7, %161#8, %238) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x4x2xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x2xf64>)
      %239 = stablehlo.constant dense<1> : tensor<i32>
      %240 = stablehlo.add %131, %239 : tensor<i32>
      %241 = "mr.broadcast"(%144) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %242 = "mr.map"(%157#1, %241) ({
      ^bb0(%arg63: tensor<1xf64>, %arg64: tensor<1xf64>):
        %243 = stablehlo.subtract %arg64, %arg63 : tensor<1xf64>
        "mr.return"(%243) : (tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
      %244 = "mr.reduce_mean"(%242) {placement = "clients"} : (tensor<3x1xf64>) -> tensor<1xf64>
      %245:3 = stablehlo.optimization_barrier %242, %157#0, %157#1 : tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>
      %246:9 = "mr.map"(%245#1, %245#2, %157#2, %157#3, %157#4, %157#5, %157#6, %157#7, %3, %157#8) ({
      ^bb0(%arg65: tensor<1xf64>, %arg66: tensor<1xf64>, %arg67: tensor<1xf64>, %arg68: tensor<1xf64>, %arg69: tensor<1xf64>, %arg70: tensor<1xf64>, %arg71: tensor<f64>, %arg72: tensor<f64>, %arg73: tensor<4x2xf64>, %arg74: tensor<2xf64>):
        %247 = stablehlo.slice %arg73 [2:3, 0:2] : (tensor<4x2xf64>) -> tensor<1x2xf64>
        %248 = stablehlo.constant dense<0> : tensor<i32>
        %249 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
        %250:10 = stablehlo.while(%arg75 = %248, %arg76 = %arg65, %arg77 = %arg66, %arg78 = %arg67, %arg79 = %arg68, %arg80 = %arg69, %arg81 = %arg70, %arg82 = %arg71, %arg83 = %arg72, %arg84 = %249) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        cond {
          %251 = stablehlo.constant dense<1> : tensor<i32>
          %252 = stablehlo.compare LT, %arg75, %251 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %252 : tensor<i1>
        } do {
          %253 = stablehlo.constant dense<0> : tensor<i32>
          %254 = stablehlo.dynamic_slice %247, %arg75, %253, sizes = [1, 2] : (tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
          %255 = stablehlo.reshape %254 : (tensor<1x2xf64>) -> tensor<2xf64>
          %256:3 = "mr.grad"(%arg76, %arg77, %255) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
          %257 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %258 = stablehlo.multiply %257, %256#1 : tensor<1xf64>
          %259 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %260 = stablehlo.multiply %259, %arg78 : tensor<1xf64>
          %261 = stablehlo.add %260, %258 : tensor<1xf64>
          %262 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %263 = stablehlo.multiply %262, %256#2 : tensor<1xf64>
          %264 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %265 = stablehlo.multiply %264, %arg79 : tensor<1xf64>
          %266 = stablehlo.add %265, %263 : tensor<1xf64>
          %267 = stablehlo.multiply %256#1, %256#1 : tensor<1xf64>
          %268 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %269 = stablehlo.multiply %268, %267 : tensor<1xf64>
          %270 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %271 = stablehlo.multiply %270, %arg80 : tensor<1xf64>
          %272 = stablehlo.add %271, %269 : tensor<1xf64>
          %273 = stablehlo.multiply %256#2, %256#2 : tensor<1xf64>
          %274 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %275 = stablehlo.multiply %274, %273 : tensor<1xf64>
          %276 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %277 = stablehlo.multiply %276, %arg81 : tensor<1xf64>
          %278 = stablehlo.add %277, %275 : tensor<1xf64>
          %279 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
          %280 = stablehlo.multiply %arg82, %279 : tensor<f64>
          %281 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
          %282 = stablehlo.multiply %arg83, %281 : tensor<f64>
          %283 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %284 = stablehlo.subtract %283, %282 : tensor<f64>
          %285 = stablehlo.broadcast_in_dim %284, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %286 = stablehlo.divide %272, %285 : tensor<1xf64>
          %287 = stablehlo.sqrt %286 : tensor<1xf64>
          %288 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %289 = stablehlo.add %287, %288 : tensor<1xf64>
          %290 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %291 = stablehlo.subtract %290, %280 : tensor<f64>
          %292 = stablehlo.broadcast_in_dim %291, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %293 = stablehlo.divide %261, %292 : tensor<1xf64>
          %294 = stablehlo.divide %293, %289 : tensor<1xf64>
          %295 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %296 = stablehlo.subtract %295, %282 : tensor<f64>
          %297 = stablehlo.broadcast_in_dim %296, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %298 = stablehlo.divide %278, %297 : tensor<1xf64>
          %299 = stablehlo.sqrt %298 : tensor<1xf64>
          %300 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %301 = stablehlo.add %299, %300 : tensor<1xf64>
          %302 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %303 = stablehlo.subtract %302, %280 : tensor<f64>
          %304 = stablehlo.broadcast_in_dim %303, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %305 = stablehlo.divide %266, %304 : tensor<1xf64>
          %306 = stablehlo.divide %305, %301 : tensor<1xf64>
          %307 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %308 = stablehlo.broadcast_in_dim %307, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %309 = stablehlo.multiply %308, %arg76 : tensor<1xf64>
          %310 = stablehlo.add %294, %309 : tensor<1xf64>
          %311 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %312 = stablehlo.broadcast_in_dim %311, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %313 = stablehlo.multiply %312, %arg77 : tensor<1xf64>
          %314 = stablehlo.add %306, %313 : tensor<1xf64>
          %315 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %316 = stablehlo.broadcast_in_dim %315, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %317 = stablehlo.multiply %316, %310 : tensor<1xf64>
          %318 = stablehlo.subtract %arg76, %317 : tensor<1xf64>
          %319 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %320 = stablehlo.broadcast_in_dim %319, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %321 = stablehlo.multiply %320, %314 : tensor<1xf64>
          %322 = stablehlo.subtract %arg77, %321 : tensor<1xf64>
          %323 = stablehlo.constant dense<1> : tensor<i32>
          %324 = stablehlo.add %arg75, %323 : tensor<i32>
          %325 = stablehlo.reshape %256#0 : (tensor<f64>) -> tensor<1xf64>
          %326 = stablehlo.dynamic_update_slice %arg84, %325, %arg75 : (tensor<1xf64>, tensor<1xf64>, tensor<i32>) -> tensor<1xf64>
          stablehlo.return %324, %318, %322, %261, %266, %272, %278, %280, %282, %326 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        }
        %327 = stablehlo.concatenate %arg74, %250#9, dim = 0 : (tensor<2xf64>, tensor<1xf64>) -> tensor<3xf64>
        "mr.return"(%250#1, %250#2, %250#3, %250#4, %250#5, %250#6, %250#7, %250#8, %327) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<3xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x4x2xf64>, tensor<3x2xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x3xf64>)
      %328 = stablehlo.constant dense<1> : tensor<i32>
      %329 = stablehlo.add %240, %328 : tensor<i32>
      %330:2 = stablehlo.optimization_barrier %246#0, %246#1 : tensor<3x1xf64>, tensor<3x1xf64>
      %331 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %332 = stablehlo.multiply %331, %arg13 : tensor<1xf64>
      %333 = stablehlo.add %47, %332 : tensor<1xf64>
      %334 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
      %335 = stablehlo.multiply %334, %333 : tensor<1xf64>
      %336 = stablehlo.add %47, %335 : tensor<1xf64>
      %337 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
      %338 = stablehlo.broadcast_in_dim %337, dims = [] : (tensor<f64>) -> tensor<1xf64>
      %339 = stablehlo.multiply %338, %336 : tensor<1xf64>
      %340 = stablehlo.subtract %arg3, %339 : tensor<1xf64>
      %341 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %342 = stablehlo.select %341, %340, %arg3 : tensor<1xi1>, tensor<1xf64>
      %343 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %344 = stablehlo.select %343, %333, %arg13 : tensor<1xi1>, tensor<1xf64>
      %345 = "mr.broadcast"(%342) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %346 = "mr.broadcast"(%43) {placement = "clients"} : (tensor<i1>) -> tensor<3xi1>
      %347 = "mr.map"(%330#0, %345, %346) ({
      ^bb0(%arg85: tensor<1xf64>, %arg86: tensor<1xf64>, %arg87: tensor<i1>):
        %348 = stablehlo.constant dense<7.500000e-01> : tensor<1xf64>
        %349 = stablehlo.multiply %348, %arg86 : tensor<1xf64>
        %350 = stablehlo.constant dense<2.500000e-01> : tensor<1xf64>
        %351 = stablehlo.multiply %350, %arg85 : tensor<1xf64>
        %352 = stablehlo.add %351, %349 : tensor<1xf64>
        %353 = stablehlo.broadcast_in_dim %arg87, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %354 = stablehlo.select %353, %352, %arg85 : tensor<1xi1>, tensor<1xf64>
        "mr.return"(%354) : (tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xi1>) -> tensor<3x1xf64>
      %355:9 = "mr.map"(%347, %330#1, %246#2, %246#3, %246#4, %246#5, %246#6, %246#7, %3, %246#8) ({
      ^bb0(%arg88: tensor<1xf64>, %arg89: tensor<1xf64>, %arg90: tensor<1xf64>, %arg91: tensor<1xf64>, %arg92: tensor<1xf64>, %arg93: tensor<1xf64>, %arg94: tensor<f64>, %arg95: tensor<f64>, %arg96: tensor<4x2xf64>, %arg97: tensor<3xf64>):
        %356 = stablehlo.slice %arg96 [3:4, 0:2] : (tensor<4x2xf64>) -> tensor<1x2xf64>
        %357 = stablehlo.constant dense<0> : tensor<i32>
        %358 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
        %359:10 = stablehlo.while(%arg98 = %357, %arg99 = %arg88, %arg100 = %arg89, %arg101 = %arg90, %arg102 = %arg91, %arg103 = %arg92, %arg104 = %arg93, %arg105 = %arg94, %arg106 = %arg95, %arg107 = %358) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        cond {
          %360 = stablehlo.constant dense<1> : tensor<i32>
          %361 = stablehlo.compare LT, %arg98, %360 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %361 : tensor<i1>
        } do {
          %362 = stablehlo.constant dense<0> : tensor<i32>
          %363 = stablehlo.dynamic_slice %356, %arg98, %362, sizes = [1, 2] : (tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
          %364 = stablehlo.reshape %363 : (tensor<1x2xf64>) -> tensor<2xf64>
          %365:3 = "mr.grad"(%arg99, %arg100, %364) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
          %366 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %367 = stablehlo.multiply %366, %365#1 : tensor<1xf64>
          %368 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %369 = stablehlo.multiply %368, %arg101 : tensor<1xf64>
          %370 = stablehlo.add %369, %367 : tensor<1xf64>
          %371 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
          %372 = stablehlo.multiply %371, %365#2 : tensor<1xf64>
          %373 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
          %374 = stablehlo.multiply %373, %arg102 : tensor<1xf64>
          %375 = stablehlo.add %374, %372 : tensor<1xf64>
          %376 = stablehlo.multiply %365#1, %365#1 : tensor<1xf64>
          %377 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %378 = stablehlo.multiply %377, %376 : tensor<1xf64>
          %379 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %380 = stablehlo.multiply %379, %arg103 : tensor<1xf64>
          %381 = stablehlo.add %380, %378 : tensor<1xf64>
          %382 = stablehlo.multiply %365#2, %365#2 : tensor<1xf64>
          %383 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
          %384 = stablehlo.multiply %383, %382 : tensor<1xf64>
          %385 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
          %386 = stablehlo.multiply %385, %arg104 : tensor<1xf64>
          %387 = stablehlo.add %386, %384 : tensor<1xf64>
          %388 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
          %389 = stablehlo.multiply %arg105, %388 : tensor<f64>
          %390 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
          %391 = stablehlo.multiply %arg106, %390 : tensor<f64>
          %392 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %393 = stablehlo.subtract %392, %391 : tensor<f64>
          %394 = stablehlo.broadcast_in_dim %393, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %395 = stablehlo.divide %381, %394 : tensor<1xf64>
          %396 = stablehlo.sqrt %395 : tensor<1xf64>
          %397 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %398 = stablehlo.add %396, %397 : tensor<1xf64>
          %399 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %400 = stablehlo.subtract %399, %389 : tensor<f64>
          %401 = stablehlo.broadcast_in_dim %400, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %402 = stablehlo.divide %370, %401 : tensor<1xf64>
          %403 = stablehlo.divide %402, %398 : tensor<1xf64>
          %404 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %405 = stablehlo.subtract %404, %391 : tensor<f64>
          %406 = stablehlo.broadcast_in_dim %405, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %407 = stablehlo.divide %387, %406 : tensor<1xf64>
          %408 = stablehlo.sqrt %407 : tensor<1xf64>
          %409 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
          %410 = stablehlo.add %408, %409 : tensor<1xf64>
          %411 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
          %412 = stablehlo.subtract %411, %389 : tensor<f64>
          %413 = stablehlo.broadcast_in_dim %412, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %414 = stablehlo.divide %375, %413 : tensor<1xf64>
          %415 = stablehlo.divide %414, %410 : tensor<1xf64>
          %416 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %417 = stablehlo.broadcast_in_dim %416, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %418 = stablehlo.multiply %417, %arg99 : tensor<1xf64>
          %419 = stablehlo.add %403, %418 : tensor<1xf64>
          %420 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
          %421 = stablehlo.broadcast_in_dim %420, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %422 = stablehlo.multiply %421, %arg100 : tensor<1xf64>
          %423 = stablehlo.add %415, %422 : tensor<1xf64>
          %424 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %425 = stablehlo.broadcast_in_dim %424, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %426 = stablehlo.multiply %425, %419 : tensor<1xf64>
          %427 = stablehlo.subtract %arg99, %426 : tensor<1xf64>
          %428 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
          %429 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f64>) -> tensor<1xf64>
          %430 = stablehlo.multiply %429, %423 : tensor<1xf64>
          %431 = stablehlo.subtract %arg100, %430 : tensor<1xf64>
          %432 = stablehlo.constant dense<1> : tensor<i32>
          %433 = stablehlo.add %arg98, %432 : tensor<i32>
          %434 = stablehlo.reshape %365#0 : (tensor<f64>) -> tensor<1xf64>
          %435 = stablehlo.dynamic_update_slice %arg107, %434, %arg98 : (tensor<1xf64>, tensor<1xf64>, tensor<i32>) -> tensor<1xf64>
          stablehlo.return %433, %427, %431, %370, %375, %381, %387, %389, %391, %435 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<1xf64>
        }
        %436 = stablehlo.concatenate %arg97, %359#9, dim = 0 : (tensor<3xf64>, tensor<1xf64>) -> tensor<4xf64>
        "mr.return"(%359#1, %359#2, %359#3, %359#4, %359#5, %359#6, %359#7, %359#8, %436) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<4xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x4x2xf64>, tensor<3x3xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x4xf64>)
      %437 = stablehlo.constant dense<1> : tensor<i32>
      %438 = stablehlo.add %329, %437 : tensor<i32>
      %439 = "mr.map"(%355#8) ({
      ^bb0(%arg108: tensor<4xf64>):
        %440 = stablehlo.slice %arg108 [3:4] : (tensor<4xf64>) -> tensor<1xf64>
        %441 = stablehlo.reshape %440 : (tensor<1xf64>) -> tensor<f64>
        "mr.return"(%441) : (tensor<f64>) -> ()
      }) {in_axes = array<i64: 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x4xf64>) -> tensor<3xf64>
      %442 = stablehlo.constant dense<1> : tensor<i32>
      %443 = stablehlo.add %arg2, %442 : tensor<i32>
      stablehlo.return %443, %342, %144, %355#0, %355#1, %355#2, %355#3, %355#4, %355#5, %355#6, %355#7, %344, %146, %47, %244, %438, %439 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    }
    %444 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %445 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %446 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %447 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %448 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %449 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %450 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %451 = stablehlo.concatenate %25#1, %25#2, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %452 = stablehlo.concatenate %25#3, %25#4, dim = 1 : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x2xf64>
    return %451, %452, %25#16 : tensor<2xf64>, tensor<3x2xf64>, tensor<3xf64>
  }
}
