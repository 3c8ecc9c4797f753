// What a loop carries stays cut; its predicate is the same on every shard.
// passes: inline raise simplify partition simplify
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_reduce 1
// count: mr.mesh_all_to_all 0
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6x4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %s = %a) : tensor<i32>, tensor<6x4xf32>
     cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.tanh %s : tensor<6x4xf32>
      %u = stablehlo.add %t, %a : tensor<6x4xf32>
      stablehlo.return %j, %u : tensor<i32>, tensor<6x4xf32>
    }
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%0#1 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0#1, %r : tensor<6x4xf32>, tensor<4xf32>
  }
}
