module @diloco_streaming attributes {mr.placements = {clients = 3 : i64}} {
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
    %18 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %19 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %21 = "mr.broadcast"(%20) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %22 = stablehlo.constant dense<0> : tensor<i32>
    %23:17 = stablehlo.while(%arg2 = %22, %arg3 = %0, %arg4 = %1, %arg5 = %2, %arg6 = %3, %arg7 = %9, %arg8 = %10, %arg9 = %11, %arg10 = %12, %arg11 = %13, %arg12 = %14, %arg13 = %16, %arg14 = %17, %arg15 = %18, %arg16 = %19, %arg17 = %15, %arg18 = %21) : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    cond {
      %24 = stablehlo.constant dense<11> : tensor<i32>
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
      %40:9 = "mr.map"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg1) ({
      ^bb0(%arg19: tensor<1xf64>, %arg20: tensor<1xf64>, %arg21: tensor<1xf64>, %arg22: tensor<1xf64>, %arg23: tensor<1xf64>, %arg24: tensor<1xf64>, %arg25: tensor<f64>, %arg26: tensor<f64>, %arg27: tensor<2xf64>):
        %41:3 = "mr.grad"(%arg19, %arg20, %arg27) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0, 1>} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>)
        %42 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
        %43 = stablehlo.multiply %42, %41#1 : tensor<1xf64>
        %44 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %45 = stablehlo.multiply %44, %arg21 : tensor<1xf64>
        %46 = stablehlo.add %45, %43 : tensor<1xf64>
        %47 = stablehlo.constant dense<9.999999999999998e-02> : tensor<1xf64>
        %48 = stablehlo.multiply %47, %41#2 : tensor<1xf64>
        %49 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %50 = stablehlo.multiply %49, %arg22 : tensor<1xf64>
        %51 = stablehlo.add %50, %48 : tensor<1xf64>
        %52 = stablehlo.multiply %41#1, %41#1 : tensor<1xf64>
        %53 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
        %54 = stablehlo.multiply %53, %52 : tensor<1xf64>
        %55 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
        %56 = stablehlo.multiply %55, %arg23 : tensor<1xf64>
        %57 = stablehlo.add %56, %54 : tensor<1xf64>
        %58 = stablehlo.multiply %41#2, %41#2 : tensor<1xf64>
        %59 = stablehlo.constant dense<1.0000000000000009e-03> : tensor<1xf64>
        %60 = stablehlo.multiply %59, %58 : tensor<1xf64>
        %61 = stablehlo.constant dense<9.990000e-01> : tensor<1xf64>
        %62 = stablehlo.multiply %61, %arg24 : tensor<1xf64>
        %63 = stablehlo.add %62, %60 : tensor<1xf64>
        %64 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
        %65 = stablehlo.multiply %arg25, %64 : tensor<f64>
        %66 = stablehlo.constant dense<9.990000e-01> : tensor<f64>
        %67 = stablehlo.multiply %arg26, %66 : tensor<f64>
        %68 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %69 = stablehlo.subtract %68, %67 : tensor<f64>
        %70 = stablehlo.broadcast_in_dim %69, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %71 = stablehlo.divide %57, %70 : tensor<1xf64>
        %72 = stablehlo.sqrt %71 : tensor<1xf64>
        %73 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
        %74 = stablehlo.add %72, %73 : tensor<1xf64>
        %75 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %76 = stablehlo.subtract %75, %65 : tensor<f64>
        %77 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %78 = stablehlo.divide %46, %77 : tensor<1xf64>
        %79 = stablehlo.divide %78, %74 : tensor<1xf64>
        %80 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %81 = stablehlo.subtract %80, %67 : tensor<f64>
        %82 = stablehlo.broadcast_in_dim %81, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %83 = stablehlo.divide %63, %82 : tensor<1xf64>
        %84 = stablehlo.sqrt %83 : tensor<1xf64>
        %85 = stablehlo.constant dense<1.000000e-08> : tensor<1xf64>
        %86 = stablehlo.add %84, %85 : tensor<1xf64>
        %87 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %88 = stablehlo.subtract %87, %65 : tensor<f64>
        %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %90 = stablehlo.divide %51, %89 : tensor<1xf64>
        %91 = stablehlo.divide %90, %86 : tensor<1xf64>
        %92 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %93 = stablehlo.broadcast_in_dim %92, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %94 = stablehlo.multiply %93, %arg19 : tensor<1xf64>
        %95 = stablehlo.add %79, %94 : tensor<1xf64>
        %96 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %97 = stablehlo.broadcast_in_dim %96, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %98 = stablehlo.multiply %97, %arg20 : tensor<1xf64>
        %99 = stablehlo.add %91, %98 : tensor<1xf64>
        %100 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
        %101 = stablehlo.broadcast_in_dim %100, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %102 = stablehlo.multiply %101, %95 : tensor<1xf64>
        %103 = stablehlo.subtract %arg19, %102 : tensor<1xf64>
        %104 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
        %105 = stablehlo.broadcast_in_dim %104, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %106 = stablehlo.multiply %105, %99 : tensor<1xf64>
        %107 = stablehlo.subtract %arg20, %106 : tensor<1xf64>
        "mr.return"(%103, %107, %46, %51, %57, %63, %65, %67, %41#0) : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<f64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x2xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
      %108 = stablehlo.constant dense<1> : tensor<i32>
      %109 = stablehlo.add %arg17, %108 : tensor<i32>
      %110 = stablehlo.constant dense<1> : tensor<i32>
      %111 = stablehlo.constant dense<4> : tensor<i32>
      %112 = stablehlo.remainder %109, %111 : tensor<i32>
      %113 = stablehlo.compare EQ, %112, %110 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %114 = stablehlo.constant dense<false> : tensor<i1>
      %115 = stablehlo.constant dense<1> : tensor<i32>
      %116 = stablehlo.compare GT, %109, %115 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %117 = stablehlo.select %116, %113, %114 : tensor<i1>, tensor<i1>
      %118:2 = "stablehlo.if"(%117) ({
        %119 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %120 = stablehlo.multiply %119, %arg13 : tensor<1xf64>
        %121 = stablehlo.add %arg15, %120 : tensor<1xf64>
        %122 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %123 = stablehlo.multiply %122, %121 : tensor<1xf64>
        %124 = stablehlo.add %arg15, %123 : tensor<1xf64>
        %125 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
        %126 = stablehlo.broadcast_in_dim %125, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %127 = stablehlo.multiply %126, %124 : tensor<1xf64>
        %128 = stablehlo.subtract %arg3, %127 : tensor<1xf64>
        stablehlo.return %128, %121 : tensor<1xf64>, tensor<1xf64>
      }, {
        stablehlo.return %arg3, %arg13 : tensor<1xf64>, tensor<1xf64>
      }) : (tensor<i1>) -> (tensor<1xf64>, tensor<1xf64>)
      %129 = "mr.broadcast"(%118#0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %130 = "mr.broadcast"(%117) {placement = "clients"} : (tensor<i1>) -> tensor<3xi1>
      %131 = "mr.map"(%40#0, %129, %130) ({
      ^bb0(%arg28: tensor<1xf64>, %arg29: tensor<1xf64>, %arg30: tensor<i1>):
        %132 = stablehlo.constant dense<7.500000e-01> : tensor<1xf64>
        %133 = stablehlo.multiply %132, %arg29 : tensor<1xf64>
        %134 = stablehlo.constant dense<2.500000e-01> : tensor<1xf64>
        %135 = stablehlo.multiply %134, %arg28 : tensor<1xf64>
        %136 = stablehlo.add %135, %133 : tensor<1xf64>
        %137 = stablehlo.broadcast_in_dim %arg30, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %138 = stablehlo.select %137, %136, %arg28 : tensor<1xi1>, tensor<1xf64>
        "mr.return"(%138) : (tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xi1>) -> tensor<3x1xf64>
      %139 = stablehlo.constant dense<0> : tensor<i32>
      %140 = stablehlo.constant dense<4> : tensor<i32>
      %141 = stablehlo.remainder %109, %140 : tensor<i32>
      %142 = stablehlo.compare EQ, %141, %139 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %143 = "stablehlo.if"(%142) ({
        %144 = "mr.broadcast"(%118#0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
        %145 = "mr.map"(%131, %144) ({
        ^bb0(%arg31: tensor<1xf64>, %arg32: tensor<1xf64>):
          %146 = stablehlo.subtract %arg32, %arg31 : tensor<1xf64>
          "mr.return"(%146) : (tensor<1xf64>) -> ()
        }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
        %147 = "mr.reduce_mean"(%145) {placement = "clients"} : (tensor<3x1xf64>) -> tensor<1xf64>
        stablehlo.return %147 : tensor<1xf64>
      }, {
        stablehlo.return %arg15 : tensor<1xf64>
      }) : (tensor<i1>) -> tensor<1xf64>
      %148 = stablehlo.constant dense<3> : tensor<i32>
      %149 = stablehlo.constant dense<4> : tensor<i32>
      %150 = stablehlo.remainder %109, %149 : tensor<i32>
      %151 = stablehlo.compare EQ, %150, %148 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %152 = stablehlo.constant dense<false> : tensor<i1>
      %153 = stablehlo.constant dense<1> : tensor<i32>
      %154 = stablehlo.compare GT, %109, %153 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %155 = stablehlo.select %154, %151, %152 : tensor<i1>, tensor<i1>
      %156:2 = "stablehlo.if"(%155) ({
        %157 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %158 = stablehlo.multiply %157, %arg14 : tensor<1xf64>
        %159 = stablehlo.add %arg16, %158 : tensor<1xf64>
        %160 = stablehlo.constant dense<9.000000e-01> : tensor<1xf64>
        %161 = stablehlo.multiply %160, %159 : tensor<1xf64>
        %162 = stablehlo.add %arg16, %161 : tensor<1xf64>
        %163 = stablehlo.constant dense<7.000000e-01> : tensor<f64>
        %164 = stablehlo.broadcast_in_dim %163, dims = [] : (tensor<f64>) -> tensor<1xf64>
        %165 = stablehlo.multiply %164, %162 : tensor<1xf64>
        %166 = stablehlo.subtract %arg4, %165 : tensor<1xf64>
        stablehlo.return %166, %159 : tensor<1xf64>, tensor<1xf64>
      }, {
        stablehlo.return %arg4, %arg14 : tensor<1xf64>, tensor<1xf64>
      }) : (tensor<i1>) -> (tensor<1xf64>, tensor<1xf64>)
      %167 = "mr.broadcast"(%156#0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
      %168 = "mr.broadcast"(%155) {placement = "clients"} : (tensor<i1>) -> tensor<3xi1>
      %169 = "mr.map"(%40#1, %167, %168) ({
      ^bb0(%arg33: tensor<1xf64>, %arg34: tensor<1xf64>, %arg35: tensor<i1>):
        %170 = stablehlo.constant dense<7.500000e-01> : tensor<1xf64>
        %171 = stablehlo.multiply %170, %arg34 : tensor<1xf64>
        %172 = stablehlo.constant dense<2.500000e-01> : tensor<1xf64>
        %173 = stablehlo.multiply %172, %arg33 : tensor<1xf64>
        %174 = stablehlo.add %173, %171 : tensor<1xf64>
        %175 = stablehlo.broadcast_in_dim %arg35, dims = [] : (tensor<i1>) -> tensor<1xi1>
        %176 = stablehlo.select %175, %174, %arg33 : tensor<1xi1>, tensor<1xf64>
        "mr.return"(%176) : (tensor<1xf64>) -> ()
      }) {in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xi1>) -> tensor<3x1xf64>
      %177 = stablehlo.constant dense<2> : tensor<i32>
      %178 = stablehlo.constant dense<4> : tensor<i32>
      %179 = stablehlo.remainder %109, %178 : tensor<i32>
      %180 = stablehlo.compare EQ, %179, %177 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %181 = "stablehlo.if"(%180) ({
        %182 = "mr.broadcast"(%156#0) {placement = "clients"} : (tensor<1xf64>) -> tensor<3x1xf64>
        %183 = "mr.map"(%169, %182) ({
        ^bb0(%arg36: tensor<1xf64>, %arg37: tensor<1xf64>):
          %184 = stablehlo.subtract %arg37, %arg36 : tensor<1xf64>
          "mr.return"(%184) : (tensor<1xf64>) -> ()
        }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
        %185 = "mr.reduce_mean"(%183) {placement = "clients"} : (tensor<3x1xf64>) -> tensor<1xf64>
        stablehlo.return %185 : tensor<1xf64>
      }, {
        stablehlo.return %arg16 : tensor<1xf64>
      }) : (tensor<i1>) -> tensor<1xf64>
      %186 = stablehlo.constant dense<1> : tensor<i32>
      %187 = stablehlo.add %arg2, %186 : tensor<i32>
      stablehlo.return %187, %118#0, %156#0, %131, %169, %40#2, %40#3, %40#4, %40#5, %40#6, %40#7, %118#1, %156#1, %143, %181, %109, %40#8 : tensor<i32>, tensor<1xf64>, tensor<1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<i32>, tensor<3xf64>
    }
    %188 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %189 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %190 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %191 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %192 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %193 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %194 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %195 = stablehlo.concatenate %23#1, %23#2, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %196 = stablehlo.concatenate %23#3, %23#4, dim = 1 : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x2xf64>
    return %195, %196, %23#16 : tensor<2xf64>, tensor<3x2xf64>, tensor<3xf64>
  }
}
