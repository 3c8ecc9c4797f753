// The boundary: a carry of an inner loop that the outer loop carries unchanged, a cycle of carries
// that nothing outside reads, and a loop that does not run.
// passes: simplify-loops
// count: stablehlo.while 3
module @m {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.while(%i = %c, %x = %arg0, %w = %arg1, %p = %arg0, %q = %arg1) : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_0 = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %2:3 = stablehlo.while(%j = %c_1, %u = %x, %v = %w) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
      cond {
        %c_0 = stablehlo.constant dense<2> : tensor<i32>
        %1 = stablehlo.compare LT, %j, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %5 = stablehlo.add %u, %v : tensor<3xf32>
        %c_0 = stablehlo.constant dense<1> : tensor<i32>
        %3 = stablehlo.add %j, %c_0 : tensor<i32>
        stablehlo.return %3, %5, %v : tensor<i32>, tensor<3xf32>, tensor<3xf32>
      }
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %3, %2#1, %2#2, %q, %p : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %c_2 = stablehlo.constant dense<9> : tensor<i32>
    %6:2 = stablehlo.while(%i = %c_2, %x = %0#1) : tensor<i32>, tensor<3xf32>
    cond {
      %c_0 = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %5 = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %i, %5 : tensor<i32>, tensor<3xf32>
    }
    return %0#2, %6#1 : tensor<3xf32>, tensor<3xf32>
  }
}
