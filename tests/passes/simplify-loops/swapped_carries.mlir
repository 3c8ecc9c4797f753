// A near miss: carries that are swapped change, although each is only passed on.
// passes: simplify-loops
// count: stablehlo.while 1
module @m {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c, %x = %arg0, %y = %arg1) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %3, %y, %x : tensor<i32>, tensor<3xf32>, tensor<3xf32>
    }
    return %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>
  }
}
// expect:
module @m {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c, %x = %arg0, %y = %arg1) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %3, %y, %x : tensor<i32>, tensor<3xf32>, tensor<3xf32>
    }
    return %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>
  }
}
