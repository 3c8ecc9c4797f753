// A ring: each round passes on what the device holds; the loop's predicate is the same for all.
// passes: inline batch-processes raise simplify-loops simplify
// count: sdy.manual_computation 0
// count: stablehlo.collective_permute 0
module @m {
  sdy.mesh @mesh = <["x"=3]>
  func.func public @main(%arg0: tensor<6xf32>, %n: tensor<i32>) -> (tensor<6xf32>, tensor<f32>) {
    %0:2 = sdy.manual_computation(%arg0, %n) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] manual_axes={"x"} (%a: tensor<2xf32>, %m: tensor<i32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %1:3 = stablehlo.while(%i = %zero, %held = %a, %total = %a) : tensor<i32>, tensor<2xf32>, tensor<2xf32>
      cond {
        %c = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %next = "stablehlo.collective_permute"(%held) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
        %half = stablehlo.constant dense<0.5> : tensor<2xf32>
        %less = stablehlo.multiply %total, %half : tensor<2xf32>
        %sum = stablehlo.add %less, %next : tensor<2xf32>
        stablehlo.return %j, %next, %sum : tensor<i32>, tensor<2xf32>, tensor<2xf32>
      }
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %own = stablehlo.reduce(%1#2 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %all = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %t = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      sdy.return %1#2, %all : tensor<2xf32>, tensor<f32>
    } : (tensor<6xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<f32>)
    return %0#0, %0#1 : tensor<6xf32>, tensor<f32>
  }
}
