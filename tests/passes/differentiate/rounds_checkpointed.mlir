// A checkpoint of values that have a placement: the barrier stands in a map, so that nothing is
// gathered.
// passes: inline simplify-loops simplify differentiate simplify-loops simplify expand-ops expand-reductions fuse-maps place simplify distribute
// count: mr.all_gather_start 0
// count: mr.all_reduce_start 5
module attributes {mr.placements = {clients = 3}} {
  func.func private @l(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<f64> {
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %half = stablehlo.constant dense<0.5> : tensor<f64>
    %v = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %w = stablehlo.subtract %v, %one : tensor<f64>
    %s = stablehlo.multiply %w, %w : tensor<f64>
    %h = stablehlo.multiply %s, %half : tensor<f64>
    return %h : tensor<f64>
  }
  func.func private @F(%x: tensor<2xf64>, %d: tensor<3x2xf64>) -> tensor<f64> {
    %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
    %l = "mr.map"(%b, %d) ({
    ^bb0(%p: tensor<2xf64>, %q: tensor<2xf64>):
      %v = func.call @l(%p, %q) : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
      "mr.return"(%v) : (tensor<f64>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3xf64>
    %m = "mr.reduce_mean"(%l) {placement = "clients"} : (tensor<3xf64>) -> tensor<f64>
    return %m : tensor<f64>
  }
  func.func private @train(%X: tensor<3x2xf64>, %eta: tensor<f64>, %d: tensor<3x2xf64>) -> tensor<3x2xf64> {
    %e = "mr.broadcast"(%eta) {placement = "clients"} : (tensor<f64>) -> tensor<3xf64>
    %l = "mr.map"(%X, %d, %e) ({
    ^bb0(%x: tensor<2xf64>, %y: tensor<2xf64>, %eta: tensor<f64>):
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:4 = stablehlo.while(%i = %zero, %c = %x, %yy = %y, %ee = %eta) : tensor<i32>, tensor<2xf64>, tensor<2xf64>, tensor<f64>
      cond {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %g = "mr.grad"(%c, %yy) {callee = @l, wrt = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
        %eb = stablehlo.broadcast_in_dim %ee, dims = [] : (tensor<f64>) -> tensor<2xf64>
        %s = stablehlo.multiply %eb, %g : tensor<2xf64>
        %d = stablehlo.subtract %c, %s : tensor<2xf64>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %d, %yy, %ee : tensor<i32>, tensor<2xf64>, tensor<2xf64>, tensor<f64>
      }

      "mr.return"(%r#1) : (tensor<2xf64>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xf64>) -> tensor<3x2xf64>
    return %l : tensor<3x2xf64>
  }
  func.func private @loss(%s0: tensor<2xf64>, %eta: tensor<f64>, %d: tensor<3x2xf64>) -> tensor<f64> {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %R:2 = stablehlo.while(%i = %z, %c = %s0) : tensor<i32>, tensor<2xf64>
      cond {
        %n = stablehlo.constant dense<2> : tensor<i32>
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %b = "mr.broadcast"(%c) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
        %t = "mr.checkpoint"(%b, %eta, %d) {callee = @train} : (tensor<3x2xf64>, tensor<f64>, tensor<3x2xf64>) -> tensor<3x2xf64>
        %next = "mr.reduce_mean"(%t) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %next : tensor<i32>, tensor<2xf64>
      }
    %v = func.call @F(%R#1, %d) : (tensor<2xf64>, tensor<3x2xf64>) -> tensor<f64>
    return %v : tensor<f64>
  }
  func.func public @main(%x: tensor<2xf64>, %eta: tensor<f64>, %d: tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<3x2xf64>) {
    %g:4 = "mr.grad"(%x, %eta, %d) {callee = @loss, wrt = array<i64: 0, 1, 2>, value = true} : (tensor<2xf64>, tensor<f64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<3x2xf64>)
    return %g#0, %g#1, %g#2, %g#3 : tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<3x2xf64>
  }
}
