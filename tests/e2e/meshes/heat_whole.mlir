// Steps of the heat equation with a source on a grid cut along both dimensions, 16 MiB: neighbours by slices, an edge that stays
// as it is, and periodic transport along the first dimension.
module @heat {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%grid: tensor<2048x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %source: tensor<2048x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<2048x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<f32>) {
    %start = stablehlo.constant dense<0> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r:2 = stablehlo.while(%i = %start, %u = %grid) : tensor<i32>, tensor<2048x1024xf32>
     cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %c = stablehlo.slice %u [1:2047, 1:1023] : (tensor<2048x1024xf32>) -> tensor<2046x1022xf32>
      %n = stablehlo.slice %u [0:2046, 1:1023] : (tensor<2048x1024xf32>) -> tensor<2046x1022xf32>
      %s = stablehlo.slice %u [2:2048, 1:1023] : (tensor<2048x1024xf32>) -> tensor<2046x1022xf32>
      %w = stablehlo.slice %u [1:2047, 0:1022] : (tensor<2048x1024xf32>) -> tensor<2046x1022xf32>
      %e = stablehlo.slice %u [1:2047, 2:1024] : (tensor<2048x1024xf32>) -> tensor<2046x1022xf32>
      %ns = stablehlo.add %n, %s : tensor<2046x1022xf32>
      %we = stablehlo.add %w, %e : tensor<2046x1022xf32>
      %sum = stablehlo.add %ns, %we : tensor<2046x1022xf32>
      %four = stablehlo.constant dense<4.0> : tensor<2046x1022xf32>
      %c4 = stablehlo.multiply %four, %c : tensor<2046x1022xf32>
      %lap = stablehlo.subtract %sum, %c4 : tensor<2046x1022xf32>
      %wide = stablehlo.pad %lap, %zero, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<2046x1022xf32>, tensor<f32>) -> tensor<2048x1024xf32>
      %k = stablehlo.constant dense<0.1> : tensor<2048x1024xf32>
      %heat = stablehlo.multiply %k, %wide : tensor<2048x1024xf32>
      %v = stablehlo.add %u, %heat : tensor<2048x1024xf32>
      %last = stablehlo.slice %v [2047:2048, 0:1024] : (tensor<2048x1024xf32>) -> tensor<1x1024xf32>
      %most = stablehlo.slice %v [0:2047, 0:1024] : (tensor<2048x1024xf32>) -> tensor<2047x1024xf32>
      %moved = stablehlo.concatenate %last, %most, dim = 0 : (tensor<1x1024xf32>, tensor<2047x1024xf32>) -> tensor<2048x1024xf32>
      %d = stablehlo.subtract %moved, %v : tensor<2048x1024xf32>
      %t = stablehlo.multiply %k, %d : tensor<2048x1024xf32>
      %x = stablehlo.add %v, %t : tensor<2048x1024xf32>
      %y = stablehlo.add %x, %source : tensor<2048x1024xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<2048x1024xf32>
    }
    %total = stablehlo.reduce(%r#1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2048x1024xf32>, tensor<f32>) -> tensor<f32>
    return %r#1, %total : tensor<2048x1024xf32>, tensor<f32>
  }
}
