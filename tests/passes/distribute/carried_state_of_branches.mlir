// What a loop carries for each client is a shard's block where branches give it too: a sum in the loop, nothing is gathered.
// passes: inline raise simplify-loops simplify expand-reductions fuse-maps place simplify distribute
// layout: loop
// count: mr.all_reduce_start 1
// count: mr.all_gather_start 0
module @m attributes {mr.placements = {clients = 5 : i64}} {
  func.func public @main(%x: tensor<4xf32>, %s: tensor<5x4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %r:3 = stablehlo.while(%i = %c, %m = %x, %v = %s) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %b = "mr.broadcast"(%m) {placement = "clients"} : (tensor<4xf32>) -> tensor<5x4xf32>
      %t = "mr.map"(%b, %v) ({
      ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
        %d = stablehlo.subtract %p, %q : tensor<4xf32>
        "mr.return"(%d) : (tensor<4xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
      %mean = "mr.reduce_mean"(%t) {placement = "clients"} : (tensor<5x4xf32>) -> tensor<4xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %odd = stablehlo.remainder %i, %two : tensor<i32>
      %kept = "stablehlo.case"(%odd) ({
        stablehlo.return %t : tensor<5x4xf32>
      }, {
        stablehlo.return %v : tensor<5x4xf32>
      }) : (tensor<i32>) -> tensor<5x4xf32>
      %i2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %i2, %mean, %kept : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
    }
    return %r#1, %r#2 : tensor<4xf32>, tensor<5x4xf32>
  }
}
