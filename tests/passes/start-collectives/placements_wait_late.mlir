// What a sum over partitions brings is waited for before what needs it and takes time, elements that are made of it as well; a gather
// that only the results use at the end.
// passes: start-collectives
module attributes {mr.placements = {clients = 2 : i64}} {
  func.func public @main(%x: tensor<2xf32>, %p: tensor<2x3xf32>) -> (tensor<f32>, tensor<f32>, tensor<2x3xf32>) {
    %g = "mr.all_gather_start"(%p) {placement = "clients"} : (tensor<2x3xf32>) -> !mr.token
    %h = "mr.all_gather_done"(%g) : (!mr.token) -> tensor<2x3xf32>
    %t = "mr.all_reduce_start"(%x) {combiner = "sum", placement = "clients"} : (tensor<2xf32>) -> !mr.token
    %s = "mr.all_reduce_done"(%t) : (!mr.token) -> tensor<2xf32>
    %n = stablehlo.negate %s : tensor<2xf32>
    %b = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %c = stablehlo.dot_general %n, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    return %c, %b, %h : tensor<f32>, tensor<f32>, tensor<2x3xf32>
  }
}
// expect:
module attributes {mr.placements = {clients = 2 : i64}} {
  func.func public @main(%x: tensor<2xf32>, %p: tensor<2x3xf32>) -> (tensor<f32>, tensor<f32>, tensor<2x3xf32>) {
    %g = "mr.all_gather_start"(%p) {placement = "clients"} : (tensor<2x3xf32>) -> !mr.token
    %t = "mr.all_reduce_start"(%x) {combiner = "sum", placement = "clients"} : (tensor<2xf32>) -> !mr.token
    %b = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %s = "mr.all_reduce_done"(%t) : (!mr.token) -> tensor<2xf32>
    %n = stablehlo.negate %s : tensor<2xf32>
    %c = stablehlo.dot_general %n, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %h = "mr.all_gather_done"(%g) : (!mr.token) -> tensor<2x3xf32>
    return %c, %b, %h : tensor<f32>, tensor<f32>, tensor<2x3xf32>
  }
}
