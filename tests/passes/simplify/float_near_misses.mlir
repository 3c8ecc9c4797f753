// What looks like an identity but changes -0, NaN or infinities stays: x + 0, x - x, 0 * x,
// not (a < b), x * (1 + 0i).
// passes: simplify
// count: stablehlo.add 1
// count: stablehlo.subtract 2
// count: stablehlo.multiply 2
// count: stablehlo.not 1
// count: stablehlo.compare 2
// count: stablehlo.maximum 1
// input 0: -0.0 nan inf 1.5
module @m {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<2xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<2xcomplex<f32>>, tensor<4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
    %mzero = stablehlo.constant dense<-0.0> : tensor<4xf32>
    %0 = stablehlo.add %x, %zero : tensor<4xf32>
    %1 = stablehlo.subtract %x, %x : tensor<4xf32>
    %2 = stablehlo.multiply %x, %zero : tensor<4xf32>
    %3 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %4 = stablehlo.not %3 : tensor<4xi1>
    %5 = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<2xcomplex<f32>>
    %6 = stablehlo.multiply %z, %one : tensor<2xcomplex<f32>>
    %7 = stablehlo.subtract %x, %mzero : tensor<4xf32>
    %8 = stablehlo.maximum %x, %zero : tensor<4xf32>
    return %0, %1, %2, %4, %5, %6, %7, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<2xcomplex<f32>>, tensor<4xf32>, tensor<4xf32>
  }
}
