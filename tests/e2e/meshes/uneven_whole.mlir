// Extents that axes do not divide, an axis on two values in different dimensions, a loop that carries parts, and
// a computation for devices within.
module @uneven {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func public @main(%x: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %w: tensor<5x11xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}]>}, %p: tensor<8x6xf32>, %e: tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %s: tensor<f32>) -> (tensor<7x11xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, tensor<11xf32>, tensor<8x6xf32>, tensor<0x4xf32>, tensor<7x5xf32>) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x5xf32>, tensor<5x11xf32>) -> tensor<7x11xf32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<7x11xf32>, tensor<f32>) -> tensor<11xf32>
    %r = sdy.manual_computation(%p) in_shardings=[<@mesh, [{"a", "b"}, {}]>] out_shardings=[<@mesh, [{"a", "b"}, {}]>] manual_axes={"a", "b"} (%own: tensor<1x6xf32>) {
      %n = "stablehlo.collective_permute"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<1x6xf32>) -> tensor<1x6xf32>
      %t = stablehlo.add %own, %n : tensor<1x6xf32>
      sdy.return %t : tensor<1x6xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %f = stablehlo.negate %e : tensor<0x4xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<7x5xf32>
     cond {
      %k = stablehlo.constant dense<3> : tensor<i32>
      %q = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %u = stablehlo.tanh %c : tensor<7x5xf32>
      %all = stablehlo.reduce(%u init: %z) applies stablehlo.add across dimensions = [0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<5xf32>
      %sb = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %scaled = stablehlo.multiply %all, %sb : tensor<5xf32>
      %b = stablehlo.broadcast_in_dim %scaled, dims = [1] : (tensor<5xf32>) -> tensor<7x5xf32>
      %d = stablehlo.add %u, %b : tensor<7x5xf32>
      stablehlo.return %j, %d : tensor<i32>, tensor<7x5xf32>
    }
    return %y, %m, %r, %f, %0#1 : tensor<7x11xf32>, tensor<11xf32>, tensor<8x6xf32>, tensor<0x4xf32>, tensor<7x5xf32>
  }
}
