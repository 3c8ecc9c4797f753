// Processes that run different functions stay; one process alone, and one after the other, are lanes.
// passes: inline batch-processes
// count: interpreter.run_parallel 1
module {
  func.func @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
    %y = stablehlo.add %x, %x : tensor<3xf32>
    return %y : tensor<3xf32>
  }
  func.func @negative(%x: tensor<3xf32>) -> tensor<3xf32> {
    %y = stablehlo.negate %x : tensor<3xf32>
    return %y : tensor<3xf32>
  }
  func.func public @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = "interpreter.run_parallel"(%x) {programs = [[@twice]]} : (tensor<3xf32>) -> tensor<3xf32>
    %1:2 = "interpreter.run_parallel"(%0, %x) {programs = [[@twice], [@twice]]} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %2:2 = "interpreter.run_parallel"(%1#0, %1#1) {programs = [[@twice, @negative]]} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    return %0, %2#0, %2#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
