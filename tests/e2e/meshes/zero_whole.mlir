// A step of training whose data, parameters and two moments of each parameter, 1.5 MiB together, are cut along "data": the moments
// are nowhere whole, and what travels are parameters and gradients.
module @zero {
  sdy.mesh @mesh = <["data"=8]>
  func.func private @loss(%w1: tensor<128x512xf32>, %w2: tensor<512x128xf32>, %x: tensor<2048x128xf32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0.0625> : tensor<2048x512xf32>
    %p = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<2048x128xf32>, tensor<128x512xf32>) -> tensor<2048x512xf32>
    %h = stablehlo.multiply %c, %p : tensor<2048x512xf32>
    %t = stablehlo.tanh %h : tensor<2048x512xf32>
    %y = stablehlo.dot_general %t, %w2, contracting_dims = [1] x [0] : (tensor<2048x512xf32>, tensor<512x128xf32>) -> tensor<2048x128xf32>
    %e = stablehlo.subtract %y, %x : tensor<2048x128xf32>
    %k = stablehlo.constant dense<0.015625> : tensor<2048x128xf32>
    %d = stablehlo.multiply %k, %e : tensor<2048x128xf32>
    %q = stablehlo.multiply %d, %d : tensor<2048x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %l = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2048x128xf32>, tensor<f32>) -> tensor<f32>
    return %l : tensor<f32>
  }
  func.func public @main(%w1: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w2: tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %mw1: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %mw2: tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %vw1: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %vw2: tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %x: tensor<2048x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<f32>) {
    %g:3 = "mr.grad"(%w1, %w2, %x) {callee = @loss, wrt = array<i64: 0, 1>, value = true} : (tensor<128x512xf32>, tensor<512x128xf32>, tensor<2048x128xf32>) -> (tensor<f32>, tensor<128x512xf32>, tensor<512x128xf32>)
    %b1w1 = stablehlo.constant dense<9.0e-1> : tensor<128x512xf32>
    %i1w1 = stablehlo.constant dense<1.0e-1> : tensor<128x512xf32>
    %b2w1 = stablehlo.constant dense<9.9e-1> : tensor<128x512xf32>
    %i2w1 = stablehlo.constant dense<1.0e-2> : tensor<128x512xf32>
    %rw1 = stablehlo.constant dense<1.0e-3> : tensor<128x512xf32>
    %ew1 = stablehlo.constant dense<1.0e-3> : tensor<128x512xf32>
    %maw1 = stablehlo.multiply %b1w1, %mw1 : tensor<128x512xf32>
    %mbw1 = stablehlo.multiply %i1w1, %g#1 : tensor<128x512xf32>
    %mnw1 = stablehlo.add %maw1, %mbw1 : tensor<128x512xf32>
    %ggw1 = stablehlo.multiply %g#1, %g#1 : tensor<128x512xf32>
    %vaw1 = stablehlo.multiply %vw1, %vw1 : tensor<128x512xf32>
    %vbw1 = stablehlo.multiply %i2w1, %ggw1 : tensor<128x512xf32>
    %vnw1 = stablehlo.add %vaw1, %vbw1 : tensor<128x512xf32>
    %sw1 = stablehlo.sqrt %vnw1 : tensor<128x512xf32>
    %sew1 = stablehlo.add %sw1, %ew1 : tensor<128x512xf32>
    %dw1 = stablehlo.divide %mnw1, %sew1 : tensor<128x512xf32>
    %uw1 = stablehlo.multiply %rw1, %dw1 : tensor<128x512xf32>
    %nw1 = stablehlo.subtract %w1, %uw1 : tensor<128x512xf32>
    %b1w2 = stablehlo.constant dense<9.0e-1> : tensor<512x128xf32>
    %i1w2 = stablehlo.constant dense<1.0e-1> : tensor<512x128xf32>
    %b2w2 = stablehlo.constant dense<9.9e-1> : tensor<512x128xf32>
    %i2w2 = stablehlo.constant dense<1.0e-2> : tensor<512x128xf32>
    %rw2 = stablehlo.constant dense<1.0e-3> : tensor<512x128xf32>
    %ew2 = stablehlo.constant dense<1.0e-3> : tensor<512x128xf32>
    %maw2 = stablehlo.multiply %b1w2, %mw2 : tensor<512x128xf32>
    %mbw2 = stablehlo.multiply %i1w2, %g#2 : tensor<512x128xf32>
    %mnw2 = stablehlo.add %maw2, %mbw2 : tensor<512x128xf32>
    %ggw2 = stablehlo.multiply %g#2, %g#2 : tensor<512x128xf32>
    %vaw2 = stablehlo.multiply %vw2, %vw2 : tensor<512x128xf32>
    %vbw2 = stablehlo.multiply %i2w2, %ggw2 : tensor<512x128xf32>
    %vnw2 = stablehlo.add %vaw2, %vbw2 : tensor<512x128xf32>
    %sw2 = stablehlo.sqrt %vnw2 : tensor<512x128xf32>
    %sew2 = stablehlo.add %sw2, %ew2 : tensor<512x128xf32>
    %dw2 = stablehlo.divide %mnw2, %sew2 : tensor<512x128xf32>
    %uw2 = stablehlo.multiply %rw2, %dw2 : tensor<512x128xf32>
    %nw2 = stablehlo.subtract %w2, %uw2 : tensor<512x128xf32>
    return %nw1, %nw2, %mnw1, %mnw2, %vnw1, %vnw2, %g#0 : tensor<128x512xf32>, tensor<512x128xf32>, tensor<128x512xf32>, tensor<512x128xf32>, tensor<128x512xf32>, tensor<512x128xf32>, tensor<f32>
  }
}
