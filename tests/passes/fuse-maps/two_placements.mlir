// Maps of different placements do not merge; nested ones merge inside.
// passes: fuse-maps
// count: mr.map 3
module @m attributes {mr.placements = {clients = 3 : i64, hosts = 2 : i64}} {
  func.func public @main(%d: tensor<2x3x4xf32>, %e: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "mr.map"(%d) ({
    ^bb0(%h: tensor<3x4xf32>):
      %1 = "mr.map"(%h) ({
      ^bb1(%c: tensor<4xf32>):
        %2 = stablehlo.sine %c : tensor<4xf32>
        "mr.return"(%2) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %3 = "mr.map"(%h, %1) ({
      ^bb1(%c: tensor<4xf32>, %s: tensor<4xf32>):
        %2 = stablehlo.multiply %c, %s : tensor<4xf32>
        "mr.return"(%2) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      %4 = "mr.reduce_sum"(%3) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
      "mr.return"(%4) : (tensor<4xf32>) -> ()
    }) {placement = "hosts", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
    %5 = "mr.reduce_sum"(%0) {placement = "hosts"} : (tensor<2x4xf32>) -> tensor<4xf32>
    %6 = "mr.map"(%e) ({
    ^bb0(%c: tensor<4xf32>):
      %7 = stablehlo.cosine %c : tensor<4xf32>
      "mr.return"(%7) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %8 = "mr.reduce_max"(%6) {placement = "clients"} : (tensor<3x4xf32>) -> tensor<4xf32>
    return %5, %8 : tensor<4xf32>, tensor<4xf32>
  }
}
