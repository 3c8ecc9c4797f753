// Sorts whose kernels are of groups: several short slices at a time, along the last dimension and another, slices of several
// tiles, comparators that are orders and one that goes around in circles, and first elements alone.
func.func @main(%x0: tensor<5x100xf32>, %x1: tensor<40x9xi32>, %x2: tensor<3x70xf64>, %x3: tensor<4500xi32>, %x4: tensor<5000xf32>, %x5: tensor<2x3000xf32>) -> (tensor<5x100xf32>, tensor<5x100xi32>, tensor<40x9xi32>, tensor<40x9xi32>, tensor<3x70xf64>, tensor<3x70xi32>, tensor<4500xi32>, tensor<4500xi32>, tensor<5000xf32>, tensor<5000xi32>, tensor<2x9xi32>) {
  %ir0 = stablehlo.iota dim = 1 : tensor<5x100xi32>
  %r0:2 = "stablehlo.sort"(%x0, %ir0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %r = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<5x100xf32>, tensor<5x100xi32>) -> (tensor<5x100xf32>, tensor<5x100xi32>)
  %ir1 = stablehlo.iota dim = 0 : tensor<40x9xi32>
  %r1:2 = "stablehlo.sort"(%x1, %ir1) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %u: tensor<i32>, %v: tensor<i32>):
    %1 = stablehlo.subtract %p, %q : tensor<i32>
    %2 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.and %1, %2 : tensor<i32>
    %r = stablehlo.compare LT, %3, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<40x9xi32>, tensor<40x9xi32>) -> (tensor<40x9xi32>, tensor<40x9xi32>)
  %ir2 = stablehlo.iota dim = 1 : tensor<3x70xi32>
  %r2:2 = "stablehlo.sort"(%x2, %ir2) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>, %u: tensor<i32>, %v: tensor<i32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %2 = stablehlo.compare EQ, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %3 = stablehlo.compare GT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    %r = stablehlo.or %1, %4 : tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<3x70xf64>, tensor<3x70xi32>) -> (tensor<3x70xf64>, tensor<3x70xi32>)
  %ir3 = stablehlo.iota dim = 0 : tensor<4500xi32>
  %r3:2 = "stablehlo.sort"(%x3, %ir3) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %u: tensor<i32>, %v: tensor<i32>):
    %1 = stablehlo.subtract %p, %q : tensor<i32>
    %2 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.and %1, %2 : tensor<i32>
    %r = stablehlo.compare LT, %3, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4500xi32>, tensor<4500xi32>) -> (tensor<4500xi32>, tensor<4500xi32>)
  %ir4 = stablehlo.iota dim = 0 : tensor<5000xi32>
  %r4:2 = "stablehlo.sort"(%x4, %ir4) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %r = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<5000xf32>, tensor<5000xi32>) -> (tensor<5000xf32>, tensor<5000xi32>)
  %ir5 = stablehlo.iota dim = 1 : tensor<2x3000xi32>
  %r5:2 = "stablehlo.sort"(%x5, %ir5) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %r = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<2x3000xf32>, tensor<2x3000xi32>) -> (tensor<2x3000xf32>, tensor<2x3000xi32>)
  %t5 = stablehlo.slice %r5#1 [0:2, 0:9] : (tensor<2x3000xi32>) -> tensor<2x9xi32>
  return %r0#0, %r0#1, %r1#0, %r1#1, %r2#0, %r2#1, %r3#0, %r3#1, %r4#0, %r4#1, %t5 : tensor<5x100xf32>, tensor<5x100xi32>, tensor<40x9xi32>, tensor<40x9xi32>, tensor<3x70xf64>, tensor<3x70xi32>, tensor<4500xi32>, tensor<4500xi32>, tensor<5000xf32>, tensor<5000xi32>, tensor<2x9xi32>
}
