// A near miss: a sort and a slice that are there already stay as they are.
// passes: expand-sorts
// count: stablehlo.sort 1
// count: stablehlo.slice 1
// count: stablehlo.iota 0
module {
  func.func public @main(%x: tensor<8xi32>) -> tensor<2xi32> {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<8xi32>) -> tensor<8xi32>
    %1 = stablehlo.slice %0 [0:2] : (tensor<8xi32>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  }
}
