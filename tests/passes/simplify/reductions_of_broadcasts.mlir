// What is the same in all partitions needs no reduction.
// passes: simplify
module @m attributes {mr.placements = {clients = 6 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>) {
    %0 = "mr.broadcast"(%x) {placement = "clients"} : (tensor<4xf32>) -> tensor<6x4xf32>
    %1 = "mr.reduce_sum"(%0) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<4xf32>
    %2 = "mr.reduce_mean"(%0) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<4xf32>
    %3 = "mr.reduce_max"(%0) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<4xf32>
    %4 = "mr.broadcast"(%i) {placement = "clients"} : (tensor<4xi8>) -> tensor<6x4xi8>
    %5 = "mr.reduce_sum"(%4) {placement = "clients"} : (tensor<6x4xi8>) -> tensor<4xi8>
    %6 = stablehlo.exponential %0 : tensor<6x4xf32>
    %7 = "mr.reduce_min"(%6) {placement = "clients"} : (tensor<6x4xf32>) -> tensor<4xf32>
    return %1, %2, %3, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>
  }
}
// expect:
module @m attributes {mr.placements = {clients = 6 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>) {
    %six = stablehlo.constant dense<6.0> : tensor<4xf32>
    %1 = stablehlo.multiply %x, %six : tensor<4xf32>
    %isix = stablehlo.constant dense<6> : tensor<4xi8>
    %5 = stablehlo.multiply %i, %isix : tensor<4xi8>
    %7 = stablehlo.exponential %x : tensor<4xf32>
    return %1, %x, %x, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>
  }
}
