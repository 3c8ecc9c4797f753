// A boundary: what nothing uses does not meet, and small floats are summed in f32; in a loop, too.
// passes: start-collectives
// count: mr.mesh_start 2
// count: mr.mesh_all_gather 0
// count: stablehlo.convert 2
module attributes {mr.mesh = #sdy.mesh<["s"=2]>} {
  func.func public @main(%x: tensor<2xbf16>, %y: tensor<2xf32>) -> (tensor<2xbf16>, tensor<2xf32>) {
    %g = "mr.mesh_all_gather"(%x) {groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xbf16>) -> tensor<2x2xbf16>
    %u = "mr.mesh_all_to_all"(%g) {groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xbf16>) -> tensor<2x2xbf16>
    %a = "mr.mesh_all_reduce"(%x) {groups = dense<[[0, 1]]> : tensor<1x2xi64>, combiner = "sum"} : (tensor<2xbf16>) -> tensor<2xbf16>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zero, %v = %y) : tensor<i32>, tensor<2xf32>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %go = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %m = "mr.mesh_permute"(%v) {pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
        %n = stablehlo.add %k, %one : tensor<i32>
        stablehlo.return %n, %m : tensor<i32>, tensor<2xf32>
      }
    return %a, %w#1 : tensor<2xbf16>, tensor<2xf32>
  }
}
