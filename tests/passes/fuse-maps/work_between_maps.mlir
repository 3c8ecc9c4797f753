// What is computed outside between two maps keeps them apart and in order, in a loop as well.
// passes: fuse-maps
// count: mr.map 3
module @m attributes {mr.placements = {clients = 3 : i64}} {
  func.func public @main(%d: tensor<3x2xf32>) -> (tensor<2xf32>) {
    %1 = "mr.map"(%d) ({
    ^bb0(%b: tensor<2xf32>):
      %2 = stablehlo.exponential %b : tensor<2xf32>
      "mr.return"(%2) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %r = stablehlo.reverse %1, dims = [0] : tensor<3x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7:2 = stablehlo.while(%i = %c, %a = %r) : tensor<i32>, tensor<3x2xf32>
    cond {
      %c_0 = stablehlo.constant dense<2> : tensor<i32>
      %8 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %4 = "mr.map"(%a, %1) ({
      ^bb0(%u: tensor<2xf32>, %v: tensor<2xf32>):
        %2 = stablehlo.subtract %u, %v : tensor<2xf32>
        "mr.return"(%2) : (tensor<2xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %c_1 : tensor<i32>
      stablehlo.return %10, %4 : tensor<i32>, tensor<3x2xf32>
    }
    %5 = "mr.reduce_sum"(%7#1) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
