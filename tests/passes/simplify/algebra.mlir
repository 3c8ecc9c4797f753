// Identities of elementwise operations on integers, and those that hold for every float.
// passes: simplify
module @m {
  func.func public @main(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>) {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %0 = stablehlo.multiply %ones, %x : tensor<4xf32>
    %mzero = stablehlo.constant dense<-0.0> : tensor<4xf32>
    %1 = stablehlo.add %0, %mzero : tensor<4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
    %2 = stablehlo.subtract %1, %zero : tensor<4xf32>
    %minf = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
    %3 = stablehlo.maximum %minf, %2 : tensor<4xf32>
    %4 = stablehlo.divide %3, %ones : tensor<4xf32>
    %5 = stablehlo.negate %4 : tensor<4xf32>
    %6 = stablehlo.negate %5 : tensor<4xf32>
    %c0 = stablehlo.constant dense<0> : tensor<4xi32>
    %c3 = stablehlo.constant dense<3> : tensor<4xi32>
    %c4 = stablehlo.constant dense<4> : tensor<4xi32>
    %7 = stablehlo.add %i, %c0 : tensor<4xi32>
    %8 = stablehlo.add %7, %c3 : tensor<4xi32>
    %9 = stablehlo.add %c4, %8 : tensor<4xi32>
    %true = stablehlo.constant dense<true> : tensor<4xi1>
    %false = stablehlo.constant dense<false> : tensor<4xi1>
    %10 = stablehlo.and %p, %true : tensor<4xi1>
    %11 = stablehlo.or %false, %10 : tensor<4xi1>
    %12 = stablehlo.not %11 : tensor<4xi1>
    %13 = stablehlo.not %12 : tensor<4xi1>
    %14 = stablehlo.select %true, %i, %c3 : tensor<4xi1>, tensor<4xi32>
    %15 = stablehlo.xor %14, %14 : tensor<4xi32>
    %16 = stablehlo.select %12, %x, %6 : tensor<4xi1>, tensor<4xf32>
    return %6, %9, %13, %15, %16 : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>
  }
}
// expect:
module @m {
  func.func public @main(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>) {
    %c0 = stablehlo.constant dense<0> : tensor<4xi32>
    %c7 = stablehlo.constant dense<7> : tensor<4xi32>
    %0 = stablehlo.add %i, %c7 : tensor<4xi32>
    return %x, %0, %p, %c0, %x : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>
  }
}
