// Gradients of attention, whose kernels are of groups where they are compiled for GPUs: few lines, uneven ones, wide ones, and on matrix
// units.
func.func private @loss0(%q: tensor<2x70x20xf32>, %k: tensor<2x45x20xf32>, %v: tensor<2x45x24xf32>, %g: tensor<2x70x24xf32>) -> tensor<f32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lows = stablehlo.constant dense<-1.0e9> : tensor<2x70x45xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x70x45xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x70x45xi32>
  %m = stablehlo.compare GE, %i, %j : (tensor<2x70x45xi32>, tensor<2x70x45xi32>) -> tensor<2x70x45xi1>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x70x20xf32>, tensor<2x45x20xf32>) -> tensor<2x70x45xf32>
  %1 = stablehlo.select %m, %0, %lows : tensor<2x70x45xi1>, tensor<2x70x45xf32>
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<2x70x45xf32>, tensor<f32>) -> tensor<2x70xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x70xf32>) -> tensor<2x70x45xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<2x70x45xf32>
  %5 = stablehlo.exponential %4 : tensor<2x70x45xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x70x45xf32>, tensor<f32>) -> tensor<2x70xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<2x70xf32>) -> tensor<2x70x45xf32>
  %8 = stablehlo.divide %5, %7 : tensor<2x70x45xf32>
  %9 = stablehlo.convert %8 : (tensor<2x70x45xf32>) -> tensor<2x70x45xf32>
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x70x45xf32>, tensor<2x45x24xf32>) -> tensor<2x70x24xf32>
  %11 = stablehlo.multiply %10, %g : tensor<2x70x24xf32>
  %12 = stablehlo.convert %11 : (tensor<2x70x24xf32>) -> tensor<2x70x24xf32>
  %13 = stablehlo.reduce(%12 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x70x24xf32>, tensor<f32>) -> tensor<f32>
  return %13 : tensor<f32>
}
func.func private @loss1(%q: tensor<1x18x140xf32>, %k: tensor<1x17x140xf32>, %v: tensor<1x17x200xf32>, %g: tensor<1x18x200xf32>) -> tensor<f32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lows = stablehlo.constant dense<-1.0e9> : tensor<1x18x17xf32>
  %i = stablehlo.iota dim = 1 : tensor<1x18x17xi32>
  %j = stablehlo.iota dim = 2 : tensor<1x18x17xi32>
  %m = stablehlo.compare GE, %i, %j : (tensor<1x18x17xi32>, tensor<1x18x17xi32>) -> tensor<1x18x17xi1>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<1x18x140xf32>, tensor<1x17x140xf32>) -> tensor<1x18x17xf32>
  %1 = stablehlo.select %m, %0, %lows : tensor<1x18x17xi1>, tensor<1x18x17xf32>
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<1x18x17xf32>, tensor<f32>) -> tensor<1x18xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x18xf32>) -> tensor<1x18x17xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<1x18x17xf32>
  %5 = stablehlo.exponential %4 : tensor<1x18x17xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x18x17xf32>, tensor<f32>) -> tensor<1x18xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x18xf32>) -> tensor<1x18x17xf32>
  %8 = stablehlo.divide %5, %7 : tensor<1x18x17xf32>
  %9 = stablehlo.convert %8 : (tensor<1x18x17xf32>) -> tensor<1x18x17xf32>
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x18x17xf32>, tensor<1x17x200xf32>) -> tensor<1x18x200xf32>
  %11 = stablehlo.multiply %10, %g : tensor<1x18x200xf32>
  %12 = stablehlo.convert %11 : (tensor<1x18x200xf32>) -> tensor<1x18x200xf32>
  %13 = stablehlo.reduce(%12 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x18x200xf32>, tensor<f32>) -> tensor<f32>
  return %13 : tensor<f32>
}
func.func private @loss2(%q: tensor<1x70x16xbf16>, %k: tensor<1x66x16xbf16>, %v: tensor<1x66x16xbf16>, %g: tensor<1x70x16xbf16>) -> tensor<f32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lows = stablehlo.constant dense<-1.0e9> : tensor<1x70x66xf32>
  %i = stablehlo.iota dim = 1 : tensor<1x70x66xi32>
  %j = stablehlo.iota dim = 2 : tensor<1x70x66xi32>
  %m = stablehlo.compare GE, %i, %j : (tensor<1x70x66xi32>, tensor<1x70x66xi32>) -> tensor<1x70x66xi1>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<1x70x16xbf16>, tensor<1x66x16xbf16>) -> tensor<1x70x66xf32>
  %1 = stablehlo.select %m, %0, %lows : tensor<1x70x66xi1>, tensor<1x70x66xf32>
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<1x70x66xf32>, tensor<f32>) -> tensor<1x70xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x70xf32>) -> tensor<1x70x66xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<1x70x66xf32>
  %5 = stablehlo.exponential %4 : tensor<1x70x66xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x70x66xf32>, tensor<f32>) -> tensor<1x70xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x70xf32>) -> tensor<1x70x66xf32>
  %8 = stablehlo.divide %5, %7 : tensor<1x70x66xf32>
  %9 = stablehlo.convert %8 : (tensor<1x70x66xf32>) -> tensor<1x70x66xbf16>
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x70x66xbf16>, tensor<1x66x16xbf16>) -> tensor<1x70x16xbf16>
  %11 = stablehlo.multiply %10, %g : tensor<1x70x16xbf16>
  %12 = stablehlo.convert %11 : (tensor<1x70x16xbf16>) -> tensor<1x70x16xf32>
  %13 = stablehlo.reduce(%12 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x70x16xf32>, tensor<f32>) -> tensor<f32>
  return %13 : tensor<f32>
}
func.func @main(%q0: tensor<2x70x20xf32>, %k0: tensor<2x45x20xf32>, %v0: tensor<2x45x24xf32>, %g0: tensor<2x70x24xf32>, %q1: tensor<1x18x140xf32>, %k1: tensor<1x17x140xf32>, %v1: tensor<1x17x200xf32>, %g1: tensor<1x18x200xf32>, %q2: tensor<1x70x16xbf16>, %k2: tensor<1x66x16xbf16>, %v2: tensor<1x66x16xbf16>, %g2: tensor<1x70x16xbf16>) -> (tensor<2x70x20xf32>, tensor<2x45x20xf32>, tensor<2x45x24xf32>, tensor<1x18x140xf32>, tensor<1x17x140xf32>, tensor<1x17x200xf32>, tensor<1x70x16xbf16>, tensor<1x66x16xbf16>, tensor<1x66x16xbf16>) {
  %d0:3 = "mr.grad"(%q0, %k0, %v0, %g0) {callee = @loss0, wrt = array<i64: 0, 1, 2>} : (tensor<2x70x20xf32>, tensor<2x45x20xf32>, tensor<2x45x24xf32>, tensor<2x70x24xf32>) -> (tensor<2x70x20xf32>, tensor<2x45x20xf32>, tensor<2x45x24xf32>)
  %d1:3 = "mr.grad"(%q1, %k1, %v1, %g1) {callee = @loss1, wrt = array<i64: 0, 1, 2>} : (tensor<1x18x140xf32>, tensor<1x17x140xf32>, tensor<1x17x200xf32>, tensor<1x18x200xf32>) -> (tensor<1x18x140xf32>, tensor<1x17x140xf32>, tensor<1x17x200xf32>)
  %d2:3 = "mr.grad"(%q2, %k2, %v2, %g2) {callee = @loss2, wrt = array<i64: 0, 1, 2>} : (tensor<1x70x16xbf16>, tensor<1x66x16xbf16>, tensor<1x66x16xbf16>, tensor<1x70x16xbf16>) -> (tensor<1x70x16xbf16>, tensor<1x66x16xbf16>, tensor<1x66x16xbf16>)
  return %d0#0, %d0#1, %d0#2, %d1#0, %d1#1, %d1#2, %d2#0, %d2#1, %d2#2 : tensor<2x70x20xf32>, tensor<2x45x20xf32>, tensor<2x45x24xf32>, tensor<1x18x140xf32>, tensor<1x17x140xf32>, tensor<1x17x200xf32>, tensor<1x70x16xbf16>, tensor<1x66x16xbf16>, tensor<1x66x16xbf16>
}
