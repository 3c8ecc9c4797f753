// A scalar has no dimension to cut: in a combiner its annotation would hide the op.
// passes: inline
// count: sdy.sharding_constraint 1
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x2xf32>) -> tensor<2xf32> {
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %f) across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %2 = stablehlo.add %a, %b : tensor<f32>
      %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
