// A boundary: no elements of an empty dimension.
// passes: expand-sorts
// count: chlo.top_k 0
// count: stablehlo.sort 1
module {
  func.func public @main(%x: tensor<3x0xi8>) -> (tensor<3x0xi8>, tensor<3x0xi32>) {
    %0:2 = chlo.top_k(%x, k = 0) : tensor<3x0xi8> -> (tensor<3x0xi8>, tensor<3x0xi32>)
    return %0#0, %0#1 : tensor<3x0xi8>, tensor<3x0xi32>
  }
}
