// A step of an optimiser with momentum over 16 MiB of parameters and momenta, all cut along "x".
module @state {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%x: tensor<8x1024xf32>, %w: tensor<1024x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %m: tensor<1024x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<f32>, tensor<1024x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<1024x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x1024xf32>, tensor<1024x2048xf32>) -> tensor<8x2048xf32>
    %c = stablehlo.constant dense<0.001> : tensor<8x2048xf32>
    %s = stablehlo.multiply %h, %c : tensor<8x2048xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %q = stablehlo.multiply %s, %s : tensor<8x2048xf32>
    %l = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x2048xf32>, tensor<f32>) -> tensor<f32>
    %g = stablehlo.dot_general %x, %s, contracting_dims = [0] x [0] : (tensor<8x1024xf32>, tensor<8x2048xf32>) -> tensor<1024x2048xf32>
    %b = stablehlo.constant dense<0.9> : tensor<1024x2048xf32>
    %bm = stablehlo.multiply %b, %m : tensor<1024x2048xf32>
    %n = stablehlo.add %bm, %g : tensor<1024x2048xf32>
    %e = stablehlo.constant dense<0.01> : tensor<1024x2048xf32>
    %d = stablehlo.multiply %e, %n : tensor<1024x2048xf32>
    %v = stablehlo.subtract %w, %d : tensor<1024x2048xf32>
    return %l, %v, %n : tensor<f32>, tensor<1024x2048xf32>, tensor<1024x2048xf32>
  }
}
