module @fed_opt attributes {mr.placements = {clients = 3 : i64}} {
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
  func.func private @differentiated_4(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.subtract %0, %1 : tensor<f64>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %3, %2 : tensor<f64>
    %5 = stablehlo.multiply %4, %2 : tensor<f64>
    return %5 : tensor<f64>
  }
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>) {
    %0 = stablehlo.constant dense<1.000000e-06> : tensor<2xf64>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %2 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %3 = "mr.map"(%arg1, %2) ({
    ^bb0(%arg2: tensor<2xf64>, %arg3: tensor<2xf64>):
      %4 = stablehlo.constant dense<0> : tensor<i32>
      %5:2 = stablehlo.while(%arg4 = %4, %arg5 = %arg3) : tensor<i32>, tensor<2xf64>
      cond {
        %6 = stablehlo.constant dense<3> : tensor<i32>
        %7 = stablehlo.compare LT, %arg4, %6 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %8:2 = "mr.grad"(%arg5, %arg2) {callee = @differentiated_0, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %9 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %11 = stablehlo.multiply %10, %8#1 : tensor<2xf64>
        %12 = stablehlo.subtract %arg5, %11 : tensor<2xf64>
        %13 = stablehlo.constant dense<1> : tensor<i32>
        %14 = stablehlo.add %arg4, %13 : tensor<i32>
        stablehlo.return %14, %12 : tensor<i32>, tensor<2xf64>
      }
      %15 = stablehlo.subtract %5#1, %arg3 : tensor<2xf64>
      "mr.return"(%15) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %16 = "mr.reduce_mean"(%3) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %17 = stablehlo.negate %16 : tensor<2xf64>
    %18 = stablehlo.constant dense<9.999999999999998e-02> : tensor<2xf64>
    %19 = stablehlo.multiply %18, %17 : tensor<2xf64>
    %20 = stablehlo.constant dense<9.000000e-01> : tensor<2xf64>
    %21 = stablehlo.multiply %20, %1 : tensor<2xf64>
    %22 = stablehlo.add %21, %19 : tensor<2xf64>
    %23 = stablehlo.multiply %17, %17 : tensor<2xf64>
    %24 = stablehlo.add %0, %23 : tensor<2xf64>
    %25 = stablehlo.sqrt %24 : tensor<2xf64>
    %26 = stablehlo.constant dense<1.000000e-03> : tensor<2xf64>
    %27 = stablehlo.add %25, %26 : tensor<2xf64>
    %28 = stablehlo.divide %22, %27 : tensor<2xf64>
    %29 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %31 = stablehlo.multiply %30, %28 : tensor<2xf64>
    %32 = stablehlo.subtract %arg0, %31 : tensor<2xf64>
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
    %42 = stablehlo.constant dense<1.000000e-06> : tensor<2xf64>
    %43 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %44 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %45 = "mr.map"(%arg1, %44) ({
    ^bb0(%arg8: tensor<2xf64>, %arg9: tensor<2xf64>):
      %46 = stablehlo.constant dense<0> : tensor<i32>
      %47:2 = stablehlo.while(%arg10 = %46, %arg11 = %arg9) : tensor<i32>, tensor<2xf64>
      cond {
        %48 = stablehlo.constant dense<3> : tensor<i32>
        %49 = stablehlo.compare LT, %arg10, %48 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %49 : tensor<i1>
      } do {
        %50:2 = "mr.grad"(%arg11, %arg8) {callee = @differentiated_1, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %51 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %52 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %53 = stablehlo.multiply %52, %50#1 : tensor<2xf64>
        %54 = stablehlo.subtract %arg11, %53 : tensor<2xf64>
        %55 = stablehlo.constant dense<1> : tensor<i32>
        %56 = stablehlo.add %arg10, %55 : tensor<i32>
        stablehlo.return %56, %54 : tensor<i32>, tensor<2xf64>
      }
      %57 = stablehlo.subtract %47#1, %arg9 : tensor<2xf64>
      "mr.return"(%57) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %58 = "mr.reduce_mean"(%45) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %59 = stablehlo.negate %58 : tensor<2xf64>
    %60 = stablehlo.constant dense<9.999999999999998e-02> : tensor<2xf64>
    %61 = stablehlo.multiply %60, %59 : tensor<2xf64>
    %62 = stablehlo.constant dense<9.000000e-01> : tensor<2xf64>
    %63 = stablehlo.multiply %62, %43 : tensor<2xf64>
    %64 = stablehlo.add %63, %61 : tensor<2xf64>
    %65 = stablehlo.multiply %59, %59 : tensor<2xf64>
    %66 = stablehlo.constant dense<1.0000000000000009e-02> : tensor<2xf64>
    %67 = stablehlo.multiply %66, %65 : tensor<2xf64>
    %68 = stablehlo.constant dense<9.900000e-01> : tensor<2xf64>
    %69 = stablehlo.multiply %68, %42 : tensor<2xf64>
    %70 = stablehlo.add %69, %67 : tensor<2xf64>
    %71 = stablehlo.sqrt %70 : tensor<2xf64>
    %72 = stablehlo.constant dense<1.000000e-03> : tensor<2xf64>
    %73 = stablehlo.add %71, %72 : tensor<2xf64>
    %74 = stablehlo.divide %64, %73 : tensor<2xf64>
    %75 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %76 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %77 = stablehlo.multiply %76, %74 : tensor<2xf64>
    %78 = stablehlo.subtract %arg0, %77 : tensor<2xf64>
    %79 = "mr.broadcast"(%78) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %80 = "mr.map"(%arg1, %79) ({
    ^bb0(%arg12: tensor<2xf64>, %arg13: tensor<2xf64>):
      %81 = stablehlo.dot_general %arg13, %arg12, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %82 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %83 = stablehlo.subtract %81, %82 : tensor<f64>
      %84 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %85 = stablehlo.multiply %84, %83 : tensor<f64>
      %86 = stablehlo.multiply %85, %83 : tensor<f64>
      "mr.return"(%86) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %87 = "mr.reduce_mean"(%80) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %88 = stablehlo.constant dense<1.000000e-06> : tensor<2xf64>
    %89 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %90 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %91 = "mr.map"(%arg1, %90) ({
    ^bb0(%arg14: tensor<2xf64>, %arg15: tensor<2xf64>):
      %92 = stablehlo.constant dense<0> : tensor<i32>
      %93:2 = stablehlo.while(%arg16 = %92, %arg17 = %arg15) : tensor<i32>, tensor<2xf64>
      cond {
        %94 = stablehlo.constant dense<3> : tensor<i32>
        %95 = stablehlo.compare LT, %arg16, %94 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %95 : tensor<i1>
      } do {
        %96:2 = "mr.grad"(%arg17, %arg14) {callee = @differentiated_2, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %97 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %98 = stablehlo.broadcast_in_dim %97, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %99 = stablehlo.multiply %98, %96#1 : tensor<2xf64>
        %100 = stablehlo.subtract %arg17, %99 : tensor<2xf64>
        %101 = stablehlo.constant dense<1> : tensor<i32>
        %102 = stablehlo.add %arg16, %101 : tensor<i32>
        stablehlo.return %102, %100 : tensor<i32>, tensor<2xf64>
      }
      %103 = stablehlo.subtract %93#1, %arg15 : tensor<2xf64>
      "mr.return"(%103) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %104 = "mr.reduce_mean"(%91) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %105 = stablehlo.negate %104 : tensor<2xf64>
    %106 = stablehlo.constant dense<9.999999999999998e-02> : tensor<2xf64>
    %107 = stablehlo.multiply %106, %105 : tensor<2xf64>
    %108 = stablehlo.constant dense<9.000000e-01> : tensor<2xf64>
    %109 = stablehlo.multiply %108, %89 : tensor<2xf64>
    %110 = stablehlo.add %109, %107 : tensor<2xf64>
    %111 = stablehlo.multiply %105, %105 : tensor<2xf64>
    %112 = stablehlo.subtract %88, %111 : tensor<2xf64>
    %113 = stablehlo.sign %112 : tensor<2xf64>
    %114 = stablehlo.constant dense<1.0000000000000009e-02> : tensor<2xf64>
    %115 = stablehlo.multiply %114, %111 : tensor<2xf64>
    %116 = stablehlo.multiply %115, %113 : tensor<2xf64>
    %117 = stablehlo.subtract %88, %116 : tensor<2xf64>
    %118 = stablehlo.sqrt %117 : tensor<2xf64>
    %119 = stablehlo.constant dense<1.000000e-03> : tensor<2xf64>
    %120 = stablehlo.add %118, %119 : tensor<2xf64>
    %121 = stablehlo.divide %110, %120 : tensor<2xf64>
    %122 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %124 = stablehlo.multiply %123, %121 : tensor<2xf64>
    %125 = stablehlo.subtract %arg0, %124 : tensor<2xf64>
    %126 = "mr.broadcast"(%125) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %127 = "mr.map"(%arg1, %126) ({
    ^bb0(%arg18: tensor<2xf64>, %arg19: tensor<2xf64>):
      %128 = stablehlo.dot_general %arg19, %arg18, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      %129 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %130 = stablehlo.subtract %128, %129 : tensor<f64>
      %131 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %132 = stablehlo.multiply %131, %130 : tensor<f64>
      %133 = stablehlo.multiply %132, %130 : tensor<f64>
      "mr.return"(%133) : (tensor<f64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %134 = "mr.reduce_mean"(%127) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    %135 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %136 = "mr.broadcast"(%arg0) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %137 = "mr.map"(%arg1, %136) ({
    ^bb0(%arg20: tensor<2xf64>, %arg21: tensor<2xf64>):
      %138 = stablehlo.constant dense<0> : tensor<i32>
      %139:2 = stablehlo.while(%arg22 = %138, %arg23 = %arg21) : tensor<i32>, tensor<2xf64>
      cond {
        %140 = stablehlo.constant dense<3> : tensor<i32>
        %141 = stablehlo.compare LT, %arg22, %140 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %141 : tensor<i1>
      } do {
        %142:2 = "mr.grad"(%arg23, %arg20) {callee = @differentiated_3, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %143 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %144 = stablehlo.broadcast_in_dim %143, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %145 = stablehlo.multiply %144, %142#1 : tensor<2xf64>
        %146 = stablehlo.subtract %arg23, %145 : tensor<2xf64>
        %147 = stablehlo.constant dense<1> : tensor<i32>
        %148 = stablehlo.add %arg22, %147 : tensor<i32>
        stablehlo.return %148, %146 : tensor<i32>, tensor<2xf64>
      }
      %149 = stablehlo.subtract %139#1, %arg21 : tensor<2xf64>
      "mr.return"(%149) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %150 = "mr.reduce_mean"(%137) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %151 = stablehlo.negate %150 : tensor<2xf64>
    %152 = stablehlo.constant dense<9.000000e-01> : tensor<2xf64>
    %153 = stablehlo.multiply %152, %135 : tensor<2xf64>
    %154 = stablehlo.add %151, %153 : tensor<2xf64>
    %155 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %156 = stablehlo.broadcast_in_dim %155, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %157 = stablehlo.multiply %156, %154 : tensor<2xf64>
    %158 = stablehlo.subtract %arg0, %157 : tensor<2xf64>
    %159 = "mr.broadcast"(%158) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %160 = "mr.map"(%arg1, %159) ({
    ^bb0(%arg24: tensor<2xf64>, %arg25: tensor<2xf64>):
      %161 = stablehlo.constant dense<0> : tensor<i32>
      %162:2 = stablehlo.while(%arg26 = %161, %arg27 = %arg25) : tensor<i32>, tensor<2xf64>
      cond {
        %163 = stablehlo.constant dense<3> : tensor<i32>
        %164 = stablehlo.compare LT, %arg26, %163 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %164 : tensor<i1>
      } do {
        %165:2 = "mr.grad"(%arg27, %arg24) {callee = @differentiated_4, mode = "reverse", value = true, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
        %166 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
        %167 = stablehlo.broadcast_in_dim %166, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %168 = stablehlo.multiply %167, %165#1 : tensor<2xf64>
        %169 = stablehlo.subtract %arg27, %168 : tensor<2xf64>
        %170 = stablehlo.constant dense<1> : tensor<i32>
        %171 = stablehlo.add %arg26, %170 : tensor<i32>
        stablehlo.return %171, %169 : tensor<i32>, tensor<2xf64>
      }
      %172 = stablehlo.subtract %162#1, %arg25 : tensor<2xf64>
      "mr.return"(%172) : (tensor<2xf64>) -> ()
    }) {in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>, placement = "clients"} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    %173 = "mr.reduce_mean"(%160) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
    %174 = stablehlo.negate %173 : tensor<2xf64>
    %175 = stablehlo.constant dense<9.000000e-01> : tensor<2xf64>
    %176 = stablehlo.multiply %175, %154 : tensor<2xf64>
    %177 = stablehlo.add %174, %176 : tensor<2xf64>
    %178 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %179 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %180 = stablehlo.multiply %179, %177 : tensor<2xf64>
    %181 = stablehlo.subtract %158, %180 : tensor<2xf64>
    return %32, %41, %78, %87, %125, %134, %181 : tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>
  }
}
