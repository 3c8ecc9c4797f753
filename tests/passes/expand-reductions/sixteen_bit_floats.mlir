// The boundary: f16 and bf16 are summed in f32 and rounded once (2048 + 1 + 1 would stay 2048 in f16).
// passes: expand-reductions
// count: mr.map 2
// input 0: 2048 1 1
// input 1: 256 1 1
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%x: tensor<3xf16>, %y: tensor<3xbf16>) -> (tensor<f16>, tensor<bf16>) {
    %0 = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<3xf16>) -> tensor<f16>
    %1 = "mr.reduce_mean"(%y) {placement = "clients"} : (tensor<3xbf16>) -> tensor<bf16>
    return %0, %1 : tensor<f16>, tensor<bf16>
  }
}
