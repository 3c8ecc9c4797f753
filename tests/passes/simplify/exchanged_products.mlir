// The point: a product that is transposed at once is the product with its factors exchanged, batched and wide ones
// too; not where its dimensions are moved otherwise, nor where it is needed as it is.
// passes: simplify
// count: stablehlo.transpose 2
// count: stablehlo.dot_general 5
module {
  func.func public @main(%x: tensor<6x3xf32>, %y: tensor<6x4xf32>, %a: tensor<2x3x5xf32>, %b: tensor<2x5x4x7xf32>, %h: tensor<6x4xbf16>) -> (tensor<4x3xf32>, tensor<2x4x7x3xf32>, tensor<2x7x3x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT] : (tensor<6x3xf32>, tensor<6x4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x5xf32>, tensor<2x5x4x7xf32>) -> tensor<2x3x4x7xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 3, 1] : (tensor<2x3x4x7xf32>) -> tensor<2x4x7x3xf32>
    %4 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x5xf32>, tensor<2x5x4x7xf32>) -> tensor<2x3x4x7xf32>
    %5 = stablehlo.transpose %4, dims = [0, 3, 1, 2] : (tensor<2x3x4x7xf32>) -> tensor<2x7x3x4xf32>
    %6 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<6x3xf32>, tensor<6x4xf32>) -> tensor<3x4xf32>
    %7 = stablehlo.exponential %6 : tensor<3x4xf32>
    %8 = stablehlo.add %6, %7 : tensor<3x4xf32>
    %9 = stablehlo.transpose %6, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %10 = stablehlo.dot_general %8, %9, contracting_dims = [0] x [1] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    return %1, %3, %5, %9, %10 : tensor<4x3xf32>, tensor<2x4x7x3xf32>, tensor<2x7x3x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>
  }
}
