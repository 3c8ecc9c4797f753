// Work that does not change leaves the loop, with the constants it needs; what only widens, and what
// depends on the counter, stays.  An inner loop's invariants leave both loops.
// passes: simplify
module @m {
  func.func public @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<4x4xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %two = stablehlo.constant dense<2.0> : tensor<4x4xf32>
      %1 = stablehlo.multiply %w, %two : tensor<4x4xf32>
      %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%j = %c_1, %b = %a) : tensor<i32>, tensor<4x4xf32>
      cond {
        %c_0 = stablehlo.constant dense<2> : tensor<i32>
        %8 = stablehlo.compare LT, %j, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %8 = stablehlo.exponential %w : tensor<4x4xf32>
        %9 = stablehlo.multiply %b, %8 : tensor<4x4xf32>
        %c_0 = stablehlo.constant dense<1> : tensor<i32>
        %10 = stablehlo.add %j, %c_0 : tensor<i32>
        stablehlo.return %10, %9 : tensor<i32>, tensor<4x4xf32>
      }
      %5 = stablehlo.add %4#1, %2 : tensor<4x4xf32>
      %6 = stablehlo.multiply %5, %3 : tensor<4x4xf32>
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %10, %6 : tensor<i32>, tensor<4x4xf32>
    }
    return %7#1 : tensor<4x4xf32>
  }
}
// expect:
module @m {
  func.func public @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2.0> : tensor<4x4xf32>
    %1 = stablehlo.multiply %w, %two : tensor<4x4xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %e = stablehlo.exponential %w : tensor<4x4xf32>
    %7:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<4x4xf32>
    cond {
      %c_0 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%j = %c_1, %b = %a) : tensor<i32>, tensor<4x4xf32>
      cond {
        %c_0 = stablehlo.constant dense<2> : tensor<i32>
        %8 = stablehlo.compare LT, %j, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %9 = stablehlo.multiply %b, %e : tensor<4x4xf32>
        %c_0 = stablehlo.constant dense<1> : tensor<i32>
        %10 = stablehlo.add %j, %c_0 : tensor<i32>
        stablehlo.return %10, %9 : tensor<i32>, tensor<4x4xf32>
      }
      %5 = stablehlo.add %4#1, %2 : tensor<4x4xf32>
      %6 = stablehlo.multiply %5, %3 : tensor<4x4xf32>
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %10, %6 : tensor<i32>, tensor<4x4xf32>
    }
    return %7#1 : tensor<4x4xf32>
  }
}
