// Processes that all run one function are lanes; a process sees its own operands.
// passes: inline batch-processes
// count: interpreter.run_parallel 0
module {
  func.func @step(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<ui32>, tensor<i32>) {
    %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %s = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %m = stablehlo.multiply %n, %seven : tensor<i32>
    return %sum, %id, %m : tensor<2x3xf32>, tensor<ui32>, tensor<i32>
  }
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<ui32>, tensor<ui32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.add %a, %b : tensor<2x3xf32>
    %k = stablehlo.add %n, %n : tensor<i32>
    %0:12 = "interpreter.run_parallel"(%a, %n, %b, %k, %c, %n, %a, %k) {programs = [[@step, @step], [@step, @step]]} : (tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<ui32>, tensor<i32>, tensor<2x3xf32>, tensor<ui32>, tensor<i32>, tensor<2x3xf32>, tensor<ui32>, tensor<i32>, tensor<2x3xf32>, tensor<ui32>, tensor<i32>)
    return %0#0, %0#9, %0#1, %0#10, %0#5, %0#8 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<ui32>, tensor<ui32>, tensor<i32>, tensor<i32>
  }
}
