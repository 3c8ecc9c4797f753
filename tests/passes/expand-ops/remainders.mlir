// The point: a remainder of 1, 2, 4, ... is what floor leaves, with the sign of x; others stay.
// passes: expand-ops
// count: stablehlo.remainder 3
// count: stablehlo.floor 2
module {
  func.func public @main(%x: tensor<9xf32>, %y: tensor<9xf64>, %k: tensor<9xi32>) -> (tensor<9xf32>, tensor<9xf64>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>) {
    %one = stablehlo.constant dense<1.0> : tensor<9xf32>
    %eight = stablehlo.constant dense<-8.0> : tensor<9xf64>
    %three = stablehlo.constant dense<3.0> : tensor<9xf32>
    %half = stablehlo.constant dense<0.5> : tensor<9xf32>
    %two = stablehlo.constant dense<2> : tensor<9xi32>
    %0 = stablehlo.remainder %x, %one : tensor<9xf32>
    %1 = stablehlo.remainder %y, %eight : tensor<9xf64>
    %2 = stablehlo.remainder %x, %three : tensor<9xf32>
    %3 = stablehlo.remainder %x, %half : tensor<9xf32>
    %4 = stablehlo.remainder %k, %two : tensor<9xi32>
    return %0, %1, %2, %3, %4 : tensor<9xf32>, tensor<9xf64>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>
  }
}
