// Sums of floats over a placement become reductions of all terms; maxima and sums of integers stay.
// passes: order-sums{always=yes}
// count: mr.reduce_sum 1
// count: mr.reduce_max 1
// count: stablehlo.reduce 2
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3x4xf32>, %i: tensor<3xi32>, %z: tensor<3xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<complex<f32>>) {
    %0 = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
    %1 = "mr.reduce_max"(%x) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
    %2 = "mr.reduce_sum"(%i) {placement = "clients"} : (tensor<3xi32>) -> tensor<i32>
    %3 = "mr.reduce_sum"(%z) {placement = "clients"} : (tensor<3xcomplex<f32>>) -> tensor<complex<f32>>
    return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<complex<f32>>
  }
}
