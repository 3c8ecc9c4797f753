// A transformer block with heads and hidden columns over "model": what is summed over them is combined once
// in attention and once in the MLP, and as often on the way back.
// passes: inline raise simplify differentiate simplify partition simplify
// count: mr.mesh_all_reduce 4
// count: mr.mesh_all_gather 0
// count: mr.mesh_all_to_all 0
// count: mr.mesh_reduce_scatter 0
module @m {
  sdy.mesh @mesh = <["model"=2]>
  func.func private @loss(%x: tensor<6x8xf64>, %wq: tensor<8x8xf64>, %wk: tensor<8x8xf64>, %wv: tensor<8x8xf64>, %wo: tensor<8x8xf64>, %w1: tensor<8x16xf64>, %w2: tensor<16x8xf64>) -> tensor<f64> {
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<6x8xf64>, tensor<8x8xf64>) -> tensor<6x8xf64>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<6x8xf64>, tensor<8x8xf64>) -> tensor<6x8xf64>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [1] x [0] : (tensor<6x8xf64>, tensor<8x8xf64>) -> tensor<6x8xf64>
    %qh = stablehlo.reshape %q : (tensor<6x8xf64>) -> tensor<6x4x2xf64>
    %kh = stablehlo.reshape %k : (tensor<6x8xf64>) -> tensor<6x4x2xf64>
    %vh = stablehlo.reshape %v : (tensor<6x8xf64>) -> tensor<6x4x2xf64>
    %s = stablehlo.dot_general %qh, %kh, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<6x4x2xf64>, tensor<6x4x2xf64>) -> tensor<4x6x6xf64>
    %e = stablehlo.constant dense<0.0625> : tensor<4x6x6xf64>
    %f = stablehlo.multiply %s, %e : tensor<4x6x6xf64>
    %t = stablehlo.tanh %f : tensor<4x6x6xf64>
    %c = stablehlo.dot_general %t, %vh, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<4x6x6xf64>, tensor<6x4x2xf64>) -> tensor<4x6x2xf64>
    %ct = stablehlo.transpose %c, dims = [1, 0, 2] : (tensor<4x6x2xf64>) -> tensor<6x4x2xf64>
    %cr = stablehlo.reshape %ct : (tensor<6x4x2xf64>) -> tensor<6x8xf64>
    %o = stablehlo.dot_general %cr, %wo, contracting_dims = [1] x [0] : (tensor<6x8xf64>, tensor<8x8xf64>) -> tensor<6x8xf64>
    %h = stablehlo.add %x, %o : tensor<6x8xf64>
    %n = stablehlo.tanh %h : tensor<6x8xf64>
    %u = stablehlo.dot_general %n, %w1, contracting_dims = [1] x [0] : (tensor<6x8xf64>, tensor<8x16xf64>) -> tensor<6x16xf64>
    %a = stablehlo.logistic %u : tensor<6x16xf64>
    %d = stablehlo.dot_general %a, %w2, contracting_dims = [1] x [0] : (tensor<6x16xf64>, tensor<16x8xf64>) -> tensor<6x8xf64>
    %y = stablehlo.add %h, %d : tensor<6x8xf64>
    %yy = stablehlo.multiply %y, %y : tensor<6x8xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %l = stablehlo.reduce(%yy init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8xf64>, tensor<f64>) -> tensor<f64>
    return %l : tensor<f64>
  }
  func.func public @main(%x: tensor<6x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %wq: tensor<8x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %wk: tensor<8x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %wv: tensor<8x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %wo: tensor<8x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %w1: tensor<8x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %w2: tensor<16x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<f64>, tensor<6x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x16xf64>, tensor<16x8xf64>) {
    %0:8 = "mr.grad"(%x, %wq, %wk, %wv, %wo, %w1, %w2) {callee = @loss, wrt = array<i64: 0, 1, 2, 3, 4, 5, 6>, value = true} : (tensor<6x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x16xf64>, tensor<16x8xf64>) -> (tensor<f64>, tensor<6x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x16xf64>, tensor<16x8xf64>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<f64>, tensor<6x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x16xf64>, tensor<16x8xf64>
  }
}
