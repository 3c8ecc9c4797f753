// A product of complex numbers is four of parts; small ones stay.
// passes: widen-products
// count: stablehlo.dot_general 6
module {
  func.func public @main(%a: tensor<32x32xcomplex<f32>>, %b: tensor<32x32xcomplex<f32>>, %c: tensor<4x4xcomplex<f64>>, %d: tensor<2x8x8xcomplex<f64>>) -> (tensor<32x32xcomplex<f32>>, tensor<4x4xcomplex<f64>>, tensor<2x8x8xcomplex<f64>>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x32xcomplex<f32>>, tensor<32x32xcomplex<f32>>) -> tensor<32x32xcomplex<f32>>
    %1 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
    %2 = stablehlo.dot_general %d, %d, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x8xcomplex<f64>>, tensor<2x8x8xcomplex<f64>>) -> tensor<2x8x8xcomplex<f64>>
    return %0, %1, %2 : tensor<32x32xcomplex<f32>>, tensor<4x4xcomplex<f64>>, tensor<2x8x8xcomplex<f64>>
  }
}
