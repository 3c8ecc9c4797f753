// Whether a check in a branch is made follows from a carry that nothing else needs.
// passes: inline simplify-loops simplify
// count: stablehlo.while 1
// count: mr.check 1
// input 0: 5
func.func @main(%n: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f = stablehlo.constant dense<1.0> : tensor<f32>
  %l:3 = stablehlo.while(%i = %n, %k = %zero, %x = %f) : tensor<i32>, tensor<i32>, tensor<f32>
  cond {
    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.compare EQ, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %b = "stablehlo.if"(%c) ({
      stablehlo.return %x : tensor<f32>
    }, {
      "mr.check"(%d) {message = "the last iteration"} : (tensor<i1>) -> ()
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %y = stablehlo.add %x, %x : tensor<f32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %m = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %j, %m, %y : tensor<i32>, tensor<i32>, tensor<f32>
  }
  return %l#2 : tensor<f32>
}
// run-refused: the last iteration
