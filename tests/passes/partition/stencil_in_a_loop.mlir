// A heat equation on a grid cut along both dimensions: each step sends edges to neighbours, and nothing is gathered.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_to_all 0
// count: mr.mesh_all_reduce 0
// count: mr.mesh_permute 4
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %start = stablehlo.constant dense<0> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r:2 = stablehlo.while(%i = %start, %u = %a) : tensor<i32>, tensor<8x6xf32>
     cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %up = stablehlo.pad %u, %zero, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
      %down = stablehlo.pad %u, %zero, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
      %left = stablehlo.pad %u, %zero, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
      %right = stablehlo.pad %u, %zero, low = [0, -1], high = [0, 1], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
      %s0 = stablehlo.add %up, %down : tensor<8x6xf32>
      %s1 = stablehlo.add %left, %right : tensor<8x6xf32>
      %s = stablehlo.add %s0, %s1 : tensor<8x6xf32>
      %c = stablehlo.constant dense<0.25> : tensor<8x6xf32>
      %v = stablehlo.multiply %s, %c : tensor<8x6xf32>
      stablehlo.return %j, %v : tensor<i32>, tensor<8x6xf32>
    }
    return %r#1 : tensor<8x6xf32>
  }
}
