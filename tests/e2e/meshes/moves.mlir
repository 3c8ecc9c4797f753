// All collectives on a mesh of 6, with an extent that no axis divides, numbers of shards, another dtype for each, a
// scalar, an empty array, a part of a constant by the number of the shard, and a loop with a collective.
module attributes {mr.mesh = #sdy.mesh<["a"=2, "b"=3]>} {
  func.func @main(
      %x: tensor<3x2xf32> {mr.global_type = "tensor<5x4xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
      %i: tensor<2x3xi32> {mr.global_type = "tensor<7x3xi32>", sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>},
      %s: tensor<f64>,
      %e: tensor<0x1xf32> {mr.global_type = "tensor<0x3xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
      %t: tensor<4xbf16> {mr.global_type = "tensor<24xbf16>", sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>})
      -> (tensor<2x3x2xf32> {mr.global_type = "tensor<4x3x4xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}]>},
          tensor<2x3xi32> {mr.global_type = "tensor<7x3xi32>", sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>},
          tensor<3xi32> {mr.global_type = "tensor<18xi32>", sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>},
          tensor<f64>,
          tensor<0x1xf32> {mr.global_type = "tensor<0x3xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
          tensor<1xi32> {mr.global_type = "tensor<6xi32>", sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>},
          tensor<2xf32> {mr.global_type = "tensor<12xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>},
          tensor<4xbf16> {mr.global_type = "tensor<8xbf16>", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
          tensor<i1>,
          tensor<2xf32> {mr.global_type = "tensor<12xf32>", sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) {
    %g = "mr.mesh_all_gather"(%x) {groups = dense<[[3, 0], [1, 4], [5, 2]]> : tensor<3x2xi64>} : (tensor<3x2xf32>) -> tensor<2x3x2xf32>
    // The last rows of "a" are padding: they are left out of what is seen.
    %row = stablehlo.iota dim = 1 : tensor<2x3x2xi32>
    %two = stablehlo.constant dense<2> : tensor<2x3x2xi32>
    %zeros = stablehlo.constant dense<0.0> : tensor<2x3x2xf32>
    %seen = stablehlo.compare LT, %row, %two : (tensor<2x3x2xi32>, tensor<2x3x2xi32>) -> tensor<2x3x2xi1>
    %gs = stablehlo.select %seen, %g, %zeros : tensor<2x3x2xi1>, tensor<2x3x2xf32>
    %c3 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %i3 = stablehlo.multiply %i, %c3 : tensor<2x3xi32>
    %number = "mr.shard_index"() {axes = ["a", "b"]} : () -> tensor<i32>
    %n3 = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %col = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %ten = stablehlo.constant dense<10> : tensor<3x3xi32>
    %row3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %nt = stablehlo.multiply %n3, %ten : tensor<3x3xi32>
    %nc = stablehlo.add %nt, %col : tensor<3x3xi32>
    %nr = stablehlo.multiply %nc, %ten : tensor<3x3xi32>
    %nn = stablehlo.add %nr, %row3 : tensor<3x3xi32>
    %to = "mr.mesh_all_to_all"(%nn) {groups = dense<[[0, 2, 1], [3, 4, 5]]> : tensor<2x3xi64>} : (tensor<3x3xi32>) -> tensor<3x3xi32>
    %rs = "mr.mesh_reduce_scatter"(%to) {groups = dense<[[2, 0, 1], [5, 4, 3]]> : tensor<2x3xi64>, combiner = "max"} : (tensor<3x3xi32>) -> tensor<3xi32>
    %ss = "mr.mesh_all_reduce"(%s) {groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, combiner = "sum"} : (tensor<f64>) -> tensor<f64>
    %es = "mr.mesh_all_reduce"(%e) {groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, combiner = "sum"} : (tensor<0x1xf32>) -> tensor<0x1xf32>
    %ba = "mr.shard_index"() {axes = ["b", "a"]} : () -> tensor<i32>
    %ba1 = stablehlo.reshape %ba : (tensor<i32>) -> tensor<1xi32>
    %table = stablehlo.constant dense<[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5]> : tensor<12xf32>
    %c2 = stablehlo.constant dense<2> : tensor<i32>
    %at = stablehlo.multiply %number, %c2 : tensor<i32>
    %part = stablehlo.dynamic_slice %table, %at, sizes = [2] : (tensor<12xf32>, tensor<i32>) -> tensor<2xf32>
    %moved = "mr.mesh_permute"(%part) {pairs = dense<[[0, 1], [1, 2], [0, 5], [4, 0]]> : tensor<4x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    %small = "mr.mesh_all_reduce"(%t) {groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, combiner = "sum"} : (tensor<4xbf16>) -> tensor<4xbf16>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %is0 = stablehlo.compare EQ, %number, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %any = "mr.mesh_all_reduce"(%is0) {groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, combiner = "or"} : (tensor<i1>) -> tensor<i1>
    // A loop: three times on to the next shard, each adding its own.
    %w:2 = stablehlo.while(%k = %zero, %v = %part) : tensor<i32>, tensor<2xf32>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %go = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %m = "mr.mesh_permute"(%v) {pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]> : tensor<6x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
        %a = stablehlo.add %m, %part : tensor<2xf32>
        %n = stablehlo.add %k, %one : tensor<i32>
        stablehlo.return %n, %a : tensor<i32>, tensor<2xf32>
      }
    return %gs, %i3, %rs, %ss, %es, %ba1, %moved, %small, %any, %w#1 : tensor<2x3x2xf32>, tensor<2x3xi32>, tensor<3xi32>, tensor<f64>, tensor<0x1xf32>, tensor<1xi32>, tensor<2xf32>, tensor<4xbf16>, tensor<i1>, tensor<2xf32>
  }
}
