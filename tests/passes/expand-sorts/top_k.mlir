// The point: the largest elements are the first of a sort together with their positions.
// passes: expand-sorts
// count: chlo.top_k 0
// count: stablehlo.sort 1
// count: stablehlo.iota 1
// count: stablehlo.slice 2
module {
  func.func public @main(%x: tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
    %0:2 = chlo.top_k(%x, k = 2) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
    return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
  }
}
