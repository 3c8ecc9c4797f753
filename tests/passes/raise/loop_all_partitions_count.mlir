// As long as any partition wants to all count: the loop is not one of each partition.
// passes: inline raise simplify-loops simplify
// placement: clients=5
// remark: value 2 that it carries changes where its condition fails
// count: stablehlo.while 1
module @m {
  func.func public @main(%w: tensor<2xf32>, %d: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<5xi32>
    %0:3 = stablehlo.while(%v = %w, %x = %d, %k = %zero) : tensor<2xf32>, tensor<5x2xf32>, tensor<5xi32>
    cond {
      %s = stablehlo.multiply %x, %x : tensor<5x2xf32>
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %n = stablehlo.reduce(%s init: %f) applies stablehlo.add across dimensions = [1] : (tensor<5x2xf32>, tensor<f32>) -> tensor<5xf32>
      %e = stablehlo.constant dense<0.25> : tensor<5xf32>
      %p = stablehlo.compare GT, %n, %e : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %no = stablehlo.constant dense<false> : tensor<i1>
      %any = stablehlo.reduce(%p init: %no) applies stablehlo.or across dimensions = [0] : (tensor<5xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %any : tensor<i1>
    } do {
      %half = stablehlo.constant dense<0.625> : tensor<5x2xf32>
      %y = stablehlo.multiply %x, %half : tensor<5x2xf32>
      %one = stablehlo.constant dense<1> : tensor<5xi32>
      %j = stablehlo.add %k, %one : tensor<5xi32>
      %s = stablehlo.multiply %x, %x : tensor<5x2xf32>
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %n = stablehlo.reduce(%s init: %f) applies stablehlo.add across dimensions = [1] : (tensor<5x2xf32>, tensor<f32>) -> tensor<5xf32>
      %e = stablehlo.constant dense<0.25> : tensor<5xf32>
      %p = stablehlo.compare GT, %n, %e : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %q = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<5xi1>) -> tensor<5x2xi1>
      %z = stablehlo.select %q, %y, %x : tensor<5x2xi1>, tensor<5x2xf32>
      %t = stablehlo.convert %p : (tensor<5xi1>) -> tensor<5xi32>
      %l = stablehlo.add %j, %t : tensor<5xi32>
      stablehlo.return %v, %z, %l : tensor<2xf32>, tensor<5x2xf32>, tensor<5xi32>
    }
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0#1 init: %f) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.reduce(%0#2 init: %i) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
    return %1, %2 : tensor<2xf32>, tensor<i32>
  }
}
