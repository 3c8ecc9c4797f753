// A carry that is passed on unchanged becomes a capture; one that nothing reads disappears.
// passes: simplify-loops
module @m {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%i = %c, %x = %arg0, %w = %arg1, %dead = %arg0) : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %x, %w : tensor<3xf32>
      %2 = stablehlo.add %dead, %w : tensor<3xf32>
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %3, %1, %w, %2 : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    return %0#1 : tensor<3xf32>
  }
}
// expect:
module @m {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<3xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %x, %arg1 : tensor<3xf32>
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %3, %1 : tensor<i32>, tensor<3xf32>
    }
    return %0#1 : tensor<3xf32>
  }
}
