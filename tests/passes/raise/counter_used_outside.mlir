// A loop per partition whose counter, which is the same for all, is used outside: a loop over the
// counter alone is left there.
// passes: inline raise simplify-loops simplify
// placement: clients=11
// count: mr.map 1
// count: stablehlo.while 2
// count: stablehlo.slice 0
module @m {
  func.func public @main(%a: tensor<11x4xf32>, %b: tensor<11x4xf32>, %m: tensor<i32>) -> (tensor<11x4xf32>, tensor<11xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<11x4xf32>, tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.add %x, %b : tensor<11x4xf32>
      stablehlo.return %2, %1 : tensor<11x4xf32>, tensor<i32>
    }
    %3 = stablehlo.broadcast_in_dim %0#1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    return %0#0, %3 : tensor<11x4xf32>, tensor<11xi32>
  }
}
